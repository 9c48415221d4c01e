/** Open the tab with the question, and have its text ready to be typed over. */
export function toQuestion() {
  const tabs = [...document.querySelectorAll<HTMLElement>('.pg-made [role=tab]')]
  const tab = tabs.find((each) => each.textContent?.startsWith('Question'))
  tab?.click()
  // Its tab is being opened: a hidden field cannot take the keyboard.
  requestAnimationFrame(() => {
    const body = document.getElementById(tab?.getAttribute('aria-controls') ?? '')
    const field = body?.querySelector('textarea')
    field?.focus()
    field?.select()
  })
}

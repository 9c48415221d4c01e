// What can be known of the machine that this page is open on.

/** A Python takes some 150 MB. Phones end a page that takes too much, and Safari does so everywhere. */
export function hasRoomForTwo(browser: Navigator & { deviceMemory?: number }): boolean {
  const small = browser.deviceMemory !== undefined && browser.deviceMemory < 4
  const handheld = /Mobi|Android|iPhone|iPad/.test(browser.userAgent)
  const known = /Chrome\/|Firefox\//.test(browser.userAgent)
  return known && !handheld && !small
}

// Says why the page's own script does not run. A plain script of ten years ago, so that it runs where that one does
// not: in an old browser, or beside a file that is missing. Once the page stands, it says nothing more.
;(() => {
  const RELOAD = 'Reload the page. Where that does not help, '
  const GET_AGAIN = RELOAD + 'the page is not whole on its server: build it again, or get it again.'
  const BROWSERS = 'A current Chrome, Edge, Firefox or Safari has it.'
  const AS_FILE = location.protocol === 'file:'

  let trouble = false

  /** Where to say it: null once the page stands. */
  function place() {
    const page = document.getElementById('page')
    if (!page) return null
    // A script that threw while it drew its first picture has cleared the place and left nothing.
    return page.querySelector('.pg-not-started') || (page.firstElementChild ? null : page)
  }

  /** @param {string} words @param {string} [help] */
  function say(words, help) {
    const told = place()
    if (!told) return
    told.textContent = ''
    told.className = 'pg-not-started'
    add(told, 'brand', 'mingraph lite')
    add(told, '', words)
    if (!help) return
    trouble = true
    told.setAttribute('role', 'alert')
    add(told, '', help)
  }

  /** @param {Element} told @param {string} kind @param {string} words */
  function add(told, kind, words) {
    const line = told.appendChild(document.createElement('p'))
    line.className = kind
    line.textContent = words
  }

  function lacking() {
    if (!('noModule' in document.createElement('script'))) return 'module scripts'
    if (typeof WebAssembly !== 'object') return 'WebAssembly'
    if (typeof Worker !== 'function') return 'workers'
    if (typeof Object.hasOwn !== 'function') return 'the JavaScript of 2022'
    return ''
  }

  /** The file that a script could not be loaded for: itself, or one that it imports. @param {HTMLScriptElement} script */
  function missing(script) {
    let address = script.src
    const asked = /** @type {any[]} */ (performance.getEntriesByType('resource'))
    for (const file of asked) if (file.responseStatus >= 400) address = file.name
    return new URL(address).pathname.split('/').pop()
  }

  /** @param {ErrorEvent} event */
  function failed(event) {
    if (AS_FILE) return
    if (event.target instanceof HTMLScriptElement)
      return say('This page could not start: ' + missing(event.target) + ' could not be loaded.', GET_AGAIN)
    if (event.target !== window) return
    if (event.error && event.error.name === 'SyntaxError')
      return say('This page could not start: this browser does not know the JavaScript of 2022.', BROWSERS)
    say('This page could not start: ' + event.message, RELOAD + 'tell whoever keeps this page.')
  }

  window.addEventListener('error', failed, true)
  document.addEventListener('DOMContentLoaded', () => {
    if (AS_FILE) return
    const lacks = lacking()
    if (lacks) say('This page needs ' + lacks + ', which this browser does not have.', BROWSERS)
    else if (!trouble) say('The page is loading…')
  })
})()

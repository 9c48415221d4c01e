// The base URL of a model: what people paste, and what may be sent there.

/** The base URL that was meant, or a sentence that says what is wrong with it. */
export function normalise(typed: string): { url: string } | { wrong: string } {
  const text = typed.trim()
  if (!text) return { wrong: 'Type the base URL of a model, for example http://localhost:11434/v1.' }
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${schemeFor(text)}://${text}`
  let url: URL
  try {
    url = new URL(withScheme)
  } catch {
    return { wrong: `"${text}" is not an address. One looks like http://localhost:11434/v1.` }
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return { wrong: 'The address begins with http:// or https://.' }
  if (url.username || url.password) return { wrong: 'Leave name and password out of the address; the key has a field of its own.' }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/)?completions$|\/models$|\/responses$/, '')
  return { url: url.origin + path.replace(/\/+$/, '') }
}

/** Machines at home speak http, the rest of the world https. */
function schemeFor(text: string): string {
  const host = text.split(/[/:]/)[0] ?? ''
  return isLocal(host) || /^\d+\.\d+\.\d+\.\d+$/.test(host) || text.startsWith('[') ? 'http' : 'https'
}

/** Whether a host name means this very machine. */
export function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^127\./.test(host) || host === '[::1]' || host === '0.0.0.0'
}

/** Whether a request stays under the base URL that was typed: same origin, same folder or below. */
export function isUnder(base: string, asked: string): boolean {
  let wanted: URL
  let request: URL
  try {
    wanted = new URL(base)
    request = new URL(asked)
  } catch {
    return false
  }
  if (request.username || request.password) return false
  const folder = wanted.pathname.replace(/\/+$/, '') + '/'
  return request.origin === wanted.origin && request.pathname.startsWith(folder)
}

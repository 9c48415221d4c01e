// The base URL of a model: what people paste, and what may be sent there. The page decides this by itself, since it
// holds the key: Python may run anybody's code. The rule is data that both read, and one table of cases holds them to it.
import rules from '../../../mingraph_lite/adapters/addresses.json'

/** What is taken off at both ends; `trim` and Python's `strip` differ in it. */
const AROUND = new RegExp(`^[${rules.around}]+|[${rules.around}]+$`, 'g')

/** The base URL that was meant, or a sentence that says what is wrong with it. */
export function normalise(typed: string): { url: string } | { wrong: string } {
  const text = typed.replace(AROUND, '')
  if (!text) return { wrong: 'Type the base URL of a model, for example http://localhost:11434/v1.' }
  if (fits(rules.a_key, text))
    return { wrong: 'This looks like a key. It has a field of its own; here stands the address of a model.' }
  const named = text.indexOf('://')
  const rest = named < 0 ? text : text.slice(named + 3)
  const [, authority = '', pasted = '', more = ''] = /^([^/?#]*)([^?#]*)(.*)$/s.exec(rest) ?? []
  if (authority.includes('@'))
    return { wrong: 'Leave name and password out of the address; the key has a field of its own.' }
  const query = more.length > 1 ? more : ''
  if (query.includes('#'))
    return { wrong: 'Leave out what stands after ? or #; the name of the endpoint is put behind the address.' }
  if (holdsAKey(query))
    return { wrong: 'Leave the key out of the address, which is shown and stored; it has a field of its own.' }
  const server = hostAndPort(authority)
  const path = pasted.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  const scheme =
    named < 0 ? (server && isOneOf(rules.at_home, server.host) ? 'http' : 'https') : text.slice(0, named).toLowerCase()
  if (!server || !rules.schemes.includes(scheme) || !fits(rules.path, path) || !fits(rules.query, query)) {
    return { wrong: `"${text}" is not an address of a model. One looks like http://localhost:11434/v1.` }
  }
  return { url: `${scheme}://${server.host}${server.port}${ofAKnownHost(server, withoutEndpoint(path))}${query}` }
}

/** The address of an endpoint under a base URL: a query comes behind its path. */
export function endpoint(base: string, path: string): string {
  const [address, ...query] = base.split('?')
  return [address + path, ...query].join('?')
}

/** The header in which this host wants the key; null for the usual one. */
export function keyHeader(base: string): string | null {
  return knownHost(new URL(base).hostname, '')?.key_header ?? null
}

/** Whether a name in a query says that its value is a secret. */
function holdsAKey(query: string): boolean {
  return query.split(/[?&;]/).some((pair) => fits(rules.secret_names, decoded(pair.split('=')[0] ?? '').toLowerCase()))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface KnownHost {
  host: string
  path: string
  instead_of: string[]
  key_header?: string
}

function knownHost(host: string, port: string): KnownHost | undefined {
  return (rules.hosts as KnownHost[]).find((row) => fits(row.host, host) || fits(row.host, host + port))
}

function ofAKnownHost({ host, port }: { host: string; port: string }, path: string): string {
  const row = knownHost(host, port)
  return row?.instead_of.includes(path) ? row.path : path
}

/** Whether a pattern of the rules fits the whole text. */
function fits(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`, 's').test(text)
}

function isOneOf(patterns: string[], host: string): boolean {
  return patterns.some((pattern) => fits(pattern, host))
}

/** The host in its short form, and its port with the colon; null for what names no server. */
function hostAndPort(authority: string): { host: string; port: string } | null {
  // Asked before it is made small: the sign for Kelvin would become a k.
  const small = /^[\x00-\x7f]*$/.test(authority) ? authority.toLowerCase() : ''
  const found = new RegExp(`^(?:${rules.authority})$`).exec(small)
  if (!found) return null
  try {
    const { hostname } = new URL(`http://${small}`)
    return { host: hostname, port: found[2] === undefined ? '' : `:${Number(found[2])}` }
  } catch {
    return null
  }
}

function withoutEndpoint(path: string): string {
  if (!path) return rules.openai.default_path
  const ending = rules.openai.endpoints.find((each) => path.endsWith(each)) ?? ''
  return path.slice(0, path.length - ending.length)
}

/** Whether a host, as a URL names it, means this very machine. */
export function isLocal(host: string): boolean {
  return isOneOf(rules.this_machine, host)
}

/** Whether a host is near enough to speak plain http: this machine, or one in the same house. */
export function isAtHome(host: string): boolean {
  return isOneOf(rules.at_home, host)
}

/** All that may be asked of a model's server, letter by letter; whatever is asked otherwise means something else. */
export function askable(base: string): { method: string; url: string }[] {
  return [
    { method: 'POST', url: endpoint(base, '/chat/completions') },
    { method: 'GET', url: endpoint(base, '/models') },
  ]
}

import { describe, expect, it } from 'vitest'
import cases from '../../../tests/adapters/address_cases.json'
import { askable, endpoint, isAtHome, keyHeader, normalise } from './address'

// The table that pytest walks too: page and Python are to mean the same by the same words.
const meant = cases.meant.map(([typed, openai]) => [typed, openai] as [string, string])
const refused = cases.refused as [string, string][]
const WRONG: Record<string, string> = {
  key: 'Leave name and password out of the address; the key has a field of its own.',
  swapped: 'This looks like a key. It has a field of its own; here stands the address of a model.',
  rest: 'Leave out what stands after ? or #; the name of the endpoint is put behind the address.',
}

describe('a base URL as people paste it', () => {
  it.each(meant)('%j means %s', (typed, url) => {
    expect(normalise(typed)).toEqual({ url })
  })

  it.each(meant)('%j is for a browser the very address that is shown', (_, url) => {
    const [, host, path = '/'] = /^https?:\/\/([^/:]+|\[[^\]]*\])(?::\d+)?(\/.*)?$/.exec(url) ?? []
    const { hostname, pathname } = new URL(url)
    expect([hostname, pathname]).toEqual([host, path])
  })

  it.each(refused)('%j is refused', (typed, reason) => {
    const text = typed.trim()
    const wrong = WRONG[reason] ?? `"${text}" is not an address of a model. One looks like http://localhost:11434/v1.`
    expect(normalise(typed)).toEqual({
      wrong: text ? wrong : 'Type the base URL of a model, for example http://localhost:11434/v1.',
    })
  })
})

describe('a known host, a query, a key in it', () => {
  it.each(cases.known_hosts as [string, string][])('H11: %j means %s', (typed, url) => {
    expect(normalise(typed)).toEqual({ url })
    expect(normalise(endpoint(url, '/chat/completions'))).toEqual({ url })
  })

  it.each(cases.key_in_query)('G05: %j is refused', (typed) => {
    expect(normalise(typed)).toEqual({
      wrong: 'Leave the key out of the address, which is shown and stored; it has a field of its own.',
    })
  })

  it.each(cases.key_header as [string, string | null][])('H05: the key for %s goes into %s', (url, header) => {
    expect(keyHeader(url)).toBe(header)
  })
})

// A base URL is only ever what was typed; these two addresses come of it, query included.
describe('what may be asked of a model', () => {
  const bases = [...meant.map(([, url]) => url), ...(cases.known_hosts as [string, string][]).map(([, url]) => url)]

  it.each([...bases, 'https://mine.openai.azure.com/openai/v1?api-version=preview'])('under %s', (base) => {
    const [path, query] = base.split('?')
    const end = query === undefined ? '' : `?${query}`
    expect(askable(base)).toEqual([
      { method: 'POST', url: `${path}/chat/completions${end}` },
      { method: 'GET', url: `${path}/models${end}` },
    ])
  })
})

describe('a host nearby', () => {
  it.each([
    ['localhost', true],
    ['192.168.1.7', true],
    ['nas.lan', true],
    ['api.example.org', false],
  ])('%s: %s', (host, near) => {
    expect(isAtHome(host)).toBe(near)
  })
})

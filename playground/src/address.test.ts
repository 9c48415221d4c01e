import { describe, expect, it } from 'vitest'
import cases from '../../tests/adapters/address_cases.json'
import { endpoint, isUnder, keyHeader, normalise } from './address'

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

describe('what may be sent with the key', () => {
  const base = 'https://api.example.org/v1'

  it.each([`${base}/models`, `${base}/chat/completions`, 'https://API.example.org/v1/models'])(
    '%s is under it',
    (url) => {
      expect(isUnder(base, url)).toBe(true)
    },
  )

  it.each([
    'https://api.example.org/v2/models',
    'https://api.example.org/v1evil/models',
    'https://api.example.org/v1/../admin',
    'https://api.example.org/v1/%2e%2e/admin',
    'https://api.example.org.evil.example/v1/models',
    'https://api.example.org@evil.example/v1/models',
    'https://user@api.example.org/v1/models',
    'http://api.example.org/v1/models',
    'https://api.example.org:444/v1/models',
    'https://evil.example/v1/models',
    '/v1/models',
    'not an address',
  ])('%s is not', (url) => {
    expect(isUnder(base, url)).toBe(false)
  })
})

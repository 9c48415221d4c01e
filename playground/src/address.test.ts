import { describe, expect, it } from 'vitest'
import { isUnder, normalise } from './address'

describe('a base URL as people paste it', () => {
  it.each([
    ['http://localhost:11434/v1', 'http://localhost:11434/v1'],
    ['  http://localhost:11434/v1/  ', 'http://localhost:11434/v1'],
    ['localhost:11434/v1', 'http://localhost:11434/v1'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['192.168.1.7:8000/v1', 'http://192.168.1.7:8000/v1'],
    ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
    ['api.example.org/v1', 'https://api.example.org/v1'],
    ['https://api.example.org/v1/chat/completions', 'https://api.example.org/v1'],
    ['https://api.example.org/v1/chat/completions/', 'https://api.example.org/v1'],
    ['https://api.example.org/v1/models', 'https://api.example.org/v1'],
    ['https://api.example.org/v1?key=1#top', 'https://api.example.org/v1'],
    ['HTTPS://API.example.org/V1', 'https://api.example.org/V1'],
  ])('%s means %s', (typed, meant) => {
    expect(normalise(typed)).toEqual({ url: meant })
  })

  it.each([
    ['', 'Type the base URL of a model, for example http://localhost:11434/v1.'],
    ['http://', '"http://" is not an address. One looks like http://localhost:11434/v1.'],
    ['ftp://example.org', 'The address begins with http:// or https://.'],
    ['https://me:secret@example.org/v1', 'Leave name and password out of the address; the key has a field of its own.'],
  ])('%s is refused', (typed, why) => {
    expect(normalise(typed)).toEqual({ wrong: why })
  })
})

describe('what may be sent with the key', () => {
  const base = 'https://api.example.org/v1'

  it.each([`${base}/models`, `${base}/chat/completions`, 'https://API.example.org/v1/models'])('%s is under it', (url) => {
    expect(isUnder(base, url)).toBe(true)
  })

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

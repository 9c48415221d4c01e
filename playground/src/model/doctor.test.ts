import { describe, expect, it } from 'vitest'
import cases from '../../../tests/adapters/address_cases.json'
import { alternatives, causesOf, mixedContent, refused, unreachable } from './doctor'
import type { Failure } from './failure'

const causes = (page: string, base: string) => unreachable(page, base).map((each) => each.cause)
const commands = (page: string, base: string) => unreachable(page, base).map((each) => each.command)

describe('a model that does not answer', () => {
  it('is most likely not running, when page and Ollama share a machine', () => {
    expect(unreachable('http://localhost:8900/', 'http://localhost:11434/v1')).toEqual([
      {
        cause: 'Nothing answers at localhost:11434: the server is not running, or its name or port is another.',
        fix: 'Start Ollama:',
        command: 'ollama serve',
      },
    ])
  })

  it('needs OLLAMA_ORIGINS and a permission, when the page is public', () => {
    expect(commands('https://pages.example/play/', 'http://localhost:11434/v1')).toEqual([
      'ollama serve',
      'OLLAMA_ORIGINS="https://pages.example" ollama serve',
      'python3 start.py playground',
    ])
  })

  it('is blocked as mixed content, when it is another machine without https', () => {
    const [page, server] = ['https://pages.example/', 'http://192.168.1.7:8000/v1']
    expect(causes(page, server)[0]).toBe('This page came over https, the model speaks http: browsers block that.')
    expect(unreachable(page, server)[0]).toEqual(mixedContent(page, server))
  })

  it('names the setting of the server that usually has this port', () => {
    expect(commands('http://127.0.0.1:8900/', 'http://127.0.0.1:1234/v1')[1]).toBe('lms server start --cors')
    expect(commands('http://127.0.0.1:8900/', 'http://127.0.0.1:8000/v1')[1]).toBe(
      `vllm serve MODEL --allowed-origins '["http://127.0.0.1:8900"]'`,
    )
  })

  // H05: an additional header can be refused by the browser.
  it('may be Azure, whose header for the key a browser refuses', () => {
    expect(causes('http://127.0.0.1:8900/', 'https://mine.openai.azure.com/openai/v1?api-version=preview')[0]).toBe(
      'This service wants the key in the header api-key, which a browser sends only where the service allows it.',
    )
  })

  it('misses /v1, when the address has no version', () => {
    expect(unreachable('http://127.0.0.1:8900/', 'http://127.0.0.1:8080').at(-1)).toEqual({
      cause: 'The address has no version in it.',
      fix: 'Most servers want http://127.0.0.1:8080/v1.',
    })
  })
})

// G07: a check before the first request warns of plain http elsewhere, and of no other. Python walks this table too.
describe('a check before the first request', () => {
  it.each(cases.mixed_content as [string, string, boolean][])(
    'from %s to %s: blocked is %s',
    (page, server, blocked) => {
      expect(mixedContent(page, server) !== null).toBe(blocked)
    },
  )
})

describe('a model that refuses', () => {
  it.each([
    [401, 'http://h/v1', 'Type the key again. It belongs to this address only.'],
    [403, 'http://h/v1', 'Check the key, then the origins that the server allows.'],
    [404, 'http://h', 'Try http://h/v1.'],
    [404, 'http://h/v1', 'Check the name of the model, letter by letter.'],
    [429, 'http://h/v1', 'Wait a minute, or look at the account.'],
    [500, 'http://h/v1', 'Read its log; a model that is too large for the machine looks like this.'],
    [
      400,
      'http://h/v1',
      'A run that ends says on its card what the server answered. If that is about tools, try the other kind (native or JSON).',
    ],
    [402, 'http://h/v1', 'Look at the account, or use another model.'],
  ])('with %i at %s', (status, base, fix) => {
    expect(refused(status, base, 'chat').map((each) => each.fix)).toEqual([fix])
  })
})

const HERE = 'http://127.0.0.1:8900/'

describe('a list of models that is refused', () => {
  it.each([
    [404, 'Compare the address. If it is right, type the name of a model and connect anyway.'],
    [405, 'If it has none, type the name of a model and connect anyway.'],
    [401, 'Type the key again. It belongs to this address only.'],
  ])('with %i', (status, fix) => {
    expect(refused(status, 'http://h/v1', 'models').map((each) => each.fix)).toEqual([fix])
  })
})

describe('the causes of each failure', () => {
  const first = (failure: Failure, base: string) =>
    causesOf(failure, 'https://pages.example/', base, 'chat').map(({ cause }) => cause)
  it.each<[Failure, string, string[]]>([
    [{ kind: 'cut', seconds: null }, 'http://h/v1', ['The server stopped in the middle.']],
    [
      { kind: 'html', said: '' },
      'http://h/v1',
      ['Something else answers at this address, or its API stands under another path.'],
    ],
    [
      { kind: 'silent', seconds: 30 },
      'http://localhost:1234/v1',
      ['The server is busy, or still loads a model.', 'The browser waits for a permission.'],
    ],
    [
      { kind: 'silent', seconds: 30 },
      'https://api.example.org/v1',
      ['The server is busy, or still loads a model.', 'Nothing is at this host, or a firewall keeps silent.'],
    ],
    [{ kind: 'status', status: 503, said: '' }, 'http://h/v1', ['The server failed.']],
    [{ kind: 'error', said: 'no' }, 'http://h/v1', []],
    [{ kind: 'bug', what: 'no' }, 'http://h/v1', []],
  ])('%j at %s', (failure, base, causes) => {
    expect(first(failure, base)).toEqual(causes)
  })
})

describe('an address that is likely to be meant', () => {
  const NONE: Failure = { kind: 'unreachable' }
  it.each<[Failure, string, string[]]>([
    [NONE, 'https://localhost:11434/v1', ['http://localhost:11434/v1']],
    [NONE, 'https://127.0.0.1:8080/v1', ['http://127.0.0.1:8080/v1']],
    [NONE, 'https://[::1]:8080/v1', ['http://[::1]:8080/v1']],
    [NONE, 'https://nas.lan:8080/v1', ['http://nas.lan:8080/v1']],
    [{ kind: 'silent', seconds: 30 }, 'https://localhost:8080/v1', ['http://localhost:8080/v1']],
    [NONE, 'https://localhost:8080/api', ['http://localhost:8080/api', 'http://localhost:8080/api/v1']],
    [NONE, 'http://localhost:8080/api', ['http://localhost:8080/api/v1']],
    [{ kind: 'html', said: '' }, 'http://localhost:8080/api', ['http://localhost:8080/api/v1']],
    [{ kind: 'status', status: 404, said: '' }, 'https://h.example/api?team=7', ['https://h.example/api/v1?team=7']],
    [NONE, 'http://localhost:8080/v1', []],
    [NONE, 'https://api.example.org/v1', []],
    [{ kind: 'status', status: 401, said: '' }, 'https://localhost:8080/api', []],
    [{ kind: 'bug', what: '' }, 'https://localhost:8080/api', []],
  ])('%j at %s: %j', (failure, base, instead) => {
    expect(alternatives(failure, HERE, base)).toEqual(instead)
  })

  it('is none that the browser would block', () => {
    expect(alternatives(NONE, 'https://pages.example/', 'https://nas.lan:8080/v1')).toEqual([])
  })

  it('is said to be the likeliest cause, too', () => {
    expect(unreachable(HERE, 'https://localhost:11434/v1')[0]).toEqual({
      cause: 'The address says https; a server on your own machine mostly speaks http.',
      fix: 'Use http://localhost:11434/v1.',
    })
  })
})

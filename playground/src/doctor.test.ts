import { describe, expect, it } from 'vitest'
import cases from '../../tests/adapters/address_cases.json'
import { mixedContent, refused, unreachable } from './doctor'

const causes = (page: string, base: string) => unreachable(page, base).map((each) => each.cause)
const commands = (page: string, base: string) => unreachable(page, base).map((each) => each.command)

describe('a model that does not answer', () => {
  it('is most likely not running, when page and Ollama share a machine', () => {
    expect(unreachable('http://localhost:8900/', 'http://localhost:11434/v1')).toEqual([
      {
        cause: 'Nothing answers at localhost:11434: the server is not running, or its port is another.',
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
    expect(refused(status, base).map((each) => each.fix)).toEqual([fix])
  })
})

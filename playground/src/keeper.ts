// Keeps the key and sends the requests. Nothing else in the page reads the key, and nothing stores it.
import { isUnder, keyHeader } from './address'
import { cleanKey, hidden } from './key'

export interface Send {
  method: string
  url: string
  body: Uint8Array | null
}

type Sender = (request: Send, signal: AbortSignal) => Promise<Response>

/** A base URL and its key, closed over: what comes out is a function that sends, never the key. */
function sender(fetcher: typeof fetch, base: string, key: string): Sender {
  return async (request, signal) => {
    if (!base || !isUnder(base, request.url)) {
      throw new Error(`The page sends requests to ${base || 'no model'} only, not to ${request.url}.`)
    }
    const headers: Record<string, string> = {}
    if (request.body) headers['Content-Type'] = 'application/json'
    const special = key && keyHeader(base)
    if (special) headers[special] = key
    else if (key) headers['Authorization'] = `Bearer ${key}`
    const response = await fetcher(request.url, {
      method: request.method,
      headers,
      body: request.body as BodyInit | null,
      signal,
      // A redirect could lead the key away from where it belongs.
      redirect: 'error',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    })
    return response.ok || !key ? response : withoutKey(response, key)
  }
}

/** A refusal may quote the key, and goes on to Python and to the page. */
async function withoutKey(response: Response, key: string): Promise<Response> {
  const headers = [...response.headers].map(([name, value]): [string, string] => [name, hidden(value, key)])
  const body = response.body ? hidden(await response.text(), key) : null
  return response.status < 300 || response.status === 304 ? response : new Response(body, { status: response.status, headers })
}

export function makeKeeper(fetcher: typeof fetch) {
  let base = ''
  let key = ''
  return {
    /** A connection to try first. An empty key field means the key that is kept, if it is for the same address. */
    candidate(newBase: string, typed: string): { send: Sender; keep: () => void } {
      const newKey = cleanKey(typed) || (newBase === base ? key : '')
      return {
        send: sender(fetcher, newBase, newKey),
        keep() {
          base = newBase
          key = newKey
        },
      }
    },
    forget() {
      base = ''
      key = ''
    },
    hasKey: (forBase: string) => key !== '' && forBase === base,
    send: ((request, signal) => sender(fetcher, base, key)(request, signal)) as Sender,
  }
}

export type Keeper = ReturnType<typeof makeKeeper>

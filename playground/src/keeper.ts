// Keeps the key and sends the requests. Nothing else in the page reads the key, and nothing stores it.
import { isUnder } from './address'

export interface Send {
  method: string
  url: string
  body: Uint8Array | null
}

type Sender = (request: Send, signal: AbortSignal) => Promise<Response>

/** A base URL and its key, closed over: what comes out is a function that sends, never the key. */
function sender(fetcher: typeof fetch, base: string, key: string): Sender {
  return (request, signal) => {
    if (!base || !isUnder(base, request.url)) {
      return Promise.reject(new Error(`The page sends requests to ${base || 'no model'} only, not to ${request.url}.`))
    }
    const headers: Record<string, string> = {}
    if (request.body) headers['Content-Type'] = 'application/json'
    if (key) headers['Authorization'] = `Bearer ${key}`
    return fetcher(request.url, {
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
  }
}

export function makeKeeper(fetcher: typeof fetch) {
  let base = ''
  let key = ''
  return {
    /** A connection to try first. An empty key field means the key that is kept, if it is for the same address. */
    candidate(newBase: string, typed: string): { send: Sender; keep: () => void } {
      const newKey = typed.trim() || (newBase === base ? key : '')
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

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
    return key ? withoutKey(response, key) : response
  }
}

/** An error may quote the key, and goes on to Python and to the page; what a model says is left as it is. */
async function withoutKey(response: Response, key: string): Promise<Response> {
  const { body, status } = response
  if (status < 200 || status === 204 || status === 304) return response
  const headers = [...response.headers].map(([name, value]): [string, string] => [name, hidden(value, key)])
  const clean = (text: string) => (response.ok && isSaid(text) ? text : hidden(text, key))
  const kind = response.headers.get('content-type') ?? ''
  const whole = !response.ok || /html|^(?!.*ndjson).*json/.test(kind)
  if (whole || !body) return new Response(body && clean(await response.text()), { status, headers })
  return new Response(body.pipeThrough(new TextDecoderStream() as TransformStream<BufferSource, string>).pipeThrough(byLines(clean)).pipeThrough(new TextEncoderStream()), { status, headers })
}

/** Each line of a stream, made by `change` and handed on at its end. */
function byLines(change: (line: string) => string): TransformStream<string, string> {
  let held = ''
  return new TransformStream({
    transform(text, out) {
      const lines = (held + text).split('\n')
      held = lines.pop() ?? ''
      for (const line of lines) out.enqueue(`${change(line)}\n`)
    },
    flush(out) {
      if (held) out.enqueue(change(held))
    },
  })
}

/** Whether this is a reply, or a piece of one, and no error. */
function isSaid(text: string): boolean {
  try {
    const reply = JSON.parse(text.replace(/^data:/, ''))
    const parts = [reply, ...(Array.isArray(reply.choices) ? reply.choices : [])]
    const said = parts.some((part) => part.message instanceof Object || part.delta instanceof Object || typeof part.text === 'string')
    return said && !parts.some((part) => part.error)
  } catch {
    return false
  }
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

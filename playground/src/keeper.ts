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
  if (!response.ok || !body) return new Response(body && clean(await response.text()), { status, headers })
  const whole = /html|^(?!.*ndjson).*json/.test(kind)
  const text = body.pipeThrough(new TextDecoderStream() as TransformStream<BufferSource, string>)
  return new Response(text.pipeThrough(inParts(whole, clean)).pipeThrough(new TextEncoderStream()), { status, headers })
}

/** A stream line by line, or a body as a whole, made by `change`. What keeps a line alive comes through at once. */
function inParts(whole: boolean, change: (text: string) => string): TransformStream<string, string> {
  let held = ''
  return new TransformStream({
    transform(text, out) {
      held += text
      const end = !held.trim() ? held.length : whole ? 0 : held.lastIndexOf('\n') + 1
      const ready = held.slice(0, end)
      held = held.slice(end)
      for (const line of ready.match(/[^\n]*\n|[^\n]+$/g) ?? []) out.enqueue(line.trim() ? change(line) : line)
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
    const said = parts.some(
      (part) => part.message instanceof Object || part.delta instanceof Object || typeof part.text === 'string',
    )
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

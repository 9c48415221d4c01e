// Keeps the key and sends the requests. Nothing else in the page reads the key, and nothing stores it.
import { askable, keyHeader } from './address'
import { NotSent, Redirected, Unreachable } from './failure'
import { cleanKey, hidden } from './key'

export interface Send {
  method: string
  url: string
  body: Uint8Array | null
}

/** A longer address is shown in part. */
const LONGEST = 200

/** `leaves` is called when a request goes out, and not for one that is refused. */
export type Sender = (request: Send, signal: AbortSignal, leaves?: () => void) => Promise<Response>

/** A base URL and its key, closed over: what comes out is a function that sends, never the key. */
function sender(fetcher: typeof fetch, base: string, key: string): Sender {
  return async (request, signal, leaves) => {
    const allowed = askable(base).find(({ method, url }) => request.method === method && request.url === url)
    if (!base || !allowed) throw new NotSent(refusal(base, request))
    const body = allowed.method === 'POST' ? request.body : null
    const headers: Record<string, string> = {}
    if (body) headers['Content-Type'] = 'application/json'
    const special = key && keyHeader(base)
    if (special) headers[special] = key
    else if (key) headers['Authorization'] = `Bearer ${key}`
    leaves?.()
    const asked = fetcher(allowed.url, {
      method: allowed.method,
      headers,
      body: body as BodyInit | null,
      signal,
      // A redirect could lead the key away from where it belongs. Asked for by hand it is not followed, and is told
      // from a server that is not there.
      redirect: 'manual',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    })
    // A browser gives its reason to nobody; whatever else goes wrong here is no fault of the server's.
    const response = await asked.catch((error) => {
      throw signal.aborted ? error : new Unreachable(allowed.url)
    })
    if (response.type === 'opaqueredirect') throw new Redirected(allowed.url)
    return key ? withoutKey(response, key) : response
  }
}

/** Why this is not sent, and what would be. */
function refusal(base: string, { method, url }: Send): string {
  if (!base) return 'No model is connected to this page, so it sends nothing.'
  const [chat, models] = askable(base)
  const asked = `${method} ${url}`
  const shown = asked.length > LONGEST ? `${asked.slice(0, LONGEST)}…` : asked
  return `The page did not send ${shown}. It sends POST ${chat!.url} and GET ${models!.url}, and nothing else.`
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
    send: ((request, signal, leaves) => sender(fetcher, base, key)(request, signal, leaves)) as Sender,
  }
}

export type Keeper = ReturnType<typeof makeKeeper>

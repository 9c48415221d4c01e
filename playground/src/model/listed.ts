// The models that a server lists, in the shapes in which servers list them.
import { type Failure, isHtml, messageIn, parsed, saidBy, shortened } from './failure'

export interface Listed {
  kind: 'listed'
  chat: string[]
  /** Those that seem to be made for something else than a chat. */
  others: string[]
}

export const count = ({ chat, others }: Listed) => chat.length + others.length

/** A list, or what came in its place. */
export function readList(status: number, body: string): Listed | Failure {
  if (status < 200 || status > 299) return { kind: 'status', status, said: saidBy(body) }
  const found = parsed(body)
  if (found === undefined && isHtml(body)) return { kind: 'html', said: saidBy(body) }
  const rows = rowsOf(found)
  if (!rows) return notAList(found, body)
  const named = rows.map((row) => ({ name: nameOf(row), row })).filter(({ name }) => name)
  if (rows.length && !named.length) return notAList(rows[0], body)
  const names = (chats: boolean) => [
    ...new Set(named.filter(({ name, row }) => chats === isForChat(name, row)).map(({ name }) => name)),
  ]
  return { kind: 'listed', chat: names(true), others: names(false) }
}

function notAList(found: unknown, body: string): Failure {
  const isObject = typeof found === 'object' && found !== null
  const error = isObject && ('error' in found || 'errors' in found || 'detail' in found) ? messageIn(found) : null
  return error ? { kind: 'error', said: shortened(error) } : { kind: 'no list', said: shortened(body) }
}

/** OpenAI's `data`, Ollama's and Google's `models`, or the list itself. Ollama without a model has null for a list. */
function rowsOf(found: unknown): unknown[] | null {
  if (Array.isArray(found)) return found
  if (typeof found !== 'object' || found === null) return null
  const { data, models, object } = found as { data?: unknown; models?: unknown; object?: unknown }
  for (const rows of [data, models]) if (Array.isArray(rows)) return rows
  if (typeof data === 'object' && data !== null) return rowsOf(data)
  return (object === 'list' && data === null) || models === null ? [] : null
}

function nameOf(row: unknown): string {
  if (typeof row === 'string') return row.trim()
  if (typeof row !== 'object' || row === null) return ''
  const { id, name, model } = row as Record<string, unknown>
  const first = [id, name, model].find((each) => typeof each === 'string' && each.trim())
  return typeof first === 'string' ? first.trim() : ''
}

const OTHER_NAMES =
  /embed|rerank|whisper|transcri|(?:^|[-/_])(?:tts|clip|bge|gte|e5|dall-e|flux|sdxl|image|imagen|veo|sora)(?:[-_.:]|$)|moderation|stable-diffusion/i
const OTHER_KINDS = ['embedding', 'embeddings', 'rerank', 'image', 'audio', 'moderation', 'transcribe', 'video']

/** What the server says of a model counts; where it says nothing, the name does. */
function isForChat(name: string, row: unknown): boolean {
  const { type, capabilities } = (row ?? {}) as { type?: unknown; capabilities?: { completion_chat?: unknown } }
  if (typeof capabilities?.completion_chat === 'boolean') return capabilities.completion_chat
  if (typeof type === 'string' && OTHER_KINDS.includes(type)) return false
  return !OTHER_NAMES.test(name)
}

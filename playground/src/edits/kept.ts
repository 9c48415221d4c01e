// Where edits are kept over a reload: one entry of this browser's storage for each scenario, so that two tabs with two
// scenarios do not overwrite each other.

/** What of a run can be edited. */
export interface Texts {
  question: string
  systemPrompt: string
  tools: string
  maxSteps: number
}
export type Field = keyof Texts
export const FIELDS: readonly Field[] = ['question', 'systemPrompt', 'tools', 'maxSteps']

/** The edited fields of one scenario, and what they were edited from: the original may be another one day. */
export interface Kept {
  texts: Partial<Texts>
  from: Partial<Texts>
}

const PLACE = 'mingraph-lite edits of '
const KINDS: Record<Field, string> = { question: 'string', systemPrompt: 'string', tools: 'string', maxSteps: 'number' }

/** The scenario whose edits stand at this place of the storage. */
export function scenarioAt(place: string): string | null {
  return place.startsWith(PLACE) ? place.slice(PLACE.length) : null
}

/** All that is kept, as far as it can be read: anything may stand there, and a browser may refuse. */
export function readAll(storage: () => Storage): Map<string, Kept> {
  const found = new Map<string, Kept>()
  try {
    const store = storage()
    for (let index = 0; index < store.length; index++) {
      const name = scenarioAt(store.key(index) ?? '')
      const kept = name === null ? null : understood(store.getItem(PLACE + name))
      if (name !== null && kept) found.set(name, kept)
    }
  } catch {
    // No storage here, and nothing is lost by it yet: `write` says so when something is.
  }
  return found
}

export function readOne(storage: () => Storage, name: string): Kept | null {
  try {
    return understood(storage().getItem(PLACE + name))
  } catch {
    return null
  }
}

/** Keep it, or nothing. Says why where the browser does not. */
export function write(storage: () => Storage, name: string, kept: Kept | null): string {
  try {
    if (kept) storage().setItem(PLACE + name, JSON.stringify(kept))
    else storage().removeItem(PLACE + name)
    return ''
  } catch (error) {
    const full = error instanceof DOMException && error.name === 'QuotaExceededError'
    const why = full ? 'has no room left' : 'does not let this page keep anything'
    return `Your browser ${why}: this edit lasts until the page is closed. Copy what you need.`
  }
}

function understood(text: string | null): Kept | null {
  let found: unknown
  try {
    found = JSON.parse(text ?? 'null')
  } catch {
    return null
  }
  if (!isRecord(found)) return null
  const kept = { texts: known(found['texts']), from: known(found['from']) }
  return Object.keys(kept.texts).length ? kept : null
}

function known(texts: unknown): Partial<Texts> {
  const pairs = isRecord(texts) ? Object.entries(texts) : []
  return Object.fromEntries(pairs.filter(([field, value]) => typeof value === KINDS[field as Field]))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

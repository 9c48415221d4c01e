// What the dialog does, without the dialog: read what was typed, ask a server for its models, and say what came of it.
import { endpoint, normalise } from './address'
import { alternatives, type Cause, causesOf, mixedContent } from './doctor'
import { Cut, type Failure, failureOf, inWords } from './failure'
import type { Sender } from './keeper'
import { cleanKey } from './key'
import { count, type Listed, readList } from './listed'

export type Field = 'address' | 'model' | 'choice' | 'key'

/** What stands in the fields, but for the key. */
export interface Typed {
  baseUrl: string
  name: string
  kind: 'native' | 'json'
}

/** What the reader is told, the field it is about, and which ways on are offered. */
export interface Said {
  tone: 'info' | 'trouble'
  text: string
  causes: Cause[]
  field: Field | null
  /** Whether the model may be used all the same. */
  anyway: boolean
  /** Addresses that are likely to be meant. */
  instead: string[]
}

/** Seconds. A server that lists its models does so at once; a reader who is asked for a permission takes longer. */
export const PATIENCE = 30

const NOTHING = { causes: [], anyway: false, instead: [] }

const wrong = (field: Field, text: string): Said => ({ ...NOTHING, tone: 'trouble', text, field })

export const CANCELLED: Said = { ...NOTHING, tone: 'info', text: 'Cancelled. Nothing was changed.', field: null }

export function changedTo(address: string): Said {
  return { ...NOTHING, tone: 'info', text: `The address is ${address} now. Connect tries it.`, field: null }
}

/** What stays true once a field is edited: of another address nothing, and of a mistake what may have caused it. */
export function afterAnEdit(said: Said, field: Field | null): Said | null {
  if (field === 'address') return null
  if (field === null || said.field !== field) return said
  if (said === NO_NAME) return { ...said, field: null } // with the button that it is typed for
  return said.causes.length ? { ...said, field: null } : null
}

/** The base URL that was typed, or what is wrong with it or with the key. */
export function readTyped(address: string, key: string): { base: string } | { said: Said } {
  const read = normalise(address)
  if ('wrong' in read) return { said: wrong('address', read.wrong) }
  if (!/^[\x21-\x7e]*$/.test(cleanKey(key)))
    return { said: wrong('key', 'The key holds a character that no key has. Copy it again.') }
  return { base: read.url }
}

/** Ask for the list of models: the smallest request that shows whether address, key and origin are right. */
export async function askForModels(
  send: Sender,
  base: string,
  cancel: AbortSignal,
  seconds = PATIENCE,
): Promise<Listed | Failure | { kind: 'cancelled' }> {
  // Two reasons to hang up, and one signal: not every browser can join two signals.
  const abort = new AbortController()
  const hangUp = () => abort.abort()
  cancel.addEventListener('abort', hangUp)
  const timer = setTimeout(hangUp, seconds * 1000)
  let begun = false
  try {
    if (cancel.aborted) return { kind: 'cancelled' }
    const response = await send({ method: 'GET', url: endpoint(base, '/models'), body: null }, abort.signal)
    begun = true
    const body = await response.text().catch(() => {
      throw new Cut()
    })
    return readList(response.status, body)
  } catch (error) {
    if (cancel.aborted) return { kind: 'cancelled' }
    if (abort.signal.aborted) return { kind: begun ? 'cut' : 'silent', seconds }
    return failureOf(error)
  } finally {
    clearTimeout(timer)
    cancel.removeEventListener('abort', hangUp)
  }
}

/** What is said of a server that did not list its models. */
export function toldOf(failure: Failure, pageAddress: string, base: string): Said {
  const causes = causesOf(failure, pageAddress, base, 'models')
  const count = failure.kind === 'unreachable' ? causes.length : 0
  const likely = count ? ` Likely cause${count === 1 ? '' : 's'}:` : ''
  return {
    tone: 'trouble',
    text: inWords(failure, base) + likely,
    causes,
    field: fieldOf(failure),
    anyway: failure.kind !== 'bug',
    instead: alternatives(failure, pageAddress, base),
  }
}

function fieldOf(failure: Failure): Field | null {
  if (failure.kind === 'status')
    return [401, 403].includes(failure.status) ? 'key' : failure.status === 404 ? 'address' : null
  return ['unreachable', 'redirected', 'html', 'no list'].includes(failure.kind) ? 'address' : null
}

/** A call that a browser is sure to block is not tried. */
export function blockedBefore(pageAddress: string, base: string): Said | null {
  const cause = mixedContent(pageAddress, base)
  return (
    cause && { ...wrong('address', `The browser will not let this page call ${base}.`), causes: [cause], anyway: true }
  )
}

export const NO_NAME: Said = {
  ...wrong('model', 'Type the name of the model: its list could not be read.'),
  anyway: true,
}

/** What is missing in the name of a model, beside what the server lists; null where it can be used. */
export function saidOfName(name: string, listed: Listed): Said | null {
  const many = count(listed)
  const pick = many === 1 ? 'It has one model: pick it.' : `Pick one of its ${many} models.`
  if (!name) {
    if (!many) return wrong('model', 'The server lists no model. Load one there, or type a name.')
    return { ...NOTHING, tone: 'info', text: `${pick} Then press Connect.`, field: 'choice' }
  }
  if (isListed(name, listed)) return null
  const advice = many ? pick : 'It lists no model at all.'
  return { ...wrong('model', `The server does not list "${name}". ${advice}`), anyway: true }
}

/** Ollama's names end in a tag that may be left out, Google's begin with a word that may. */
function isListed(name: string, { chat, others }: Listed): boolean {
  return [name, `${name}:latest`, `models/${name}`].some((each) => chat.includes(each) || others.includes(each))
}

import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'
import {
  afterAnEdit,
  askForModels,
  blockedBefore,
  CANCELLED,
  changedTo,
  type Field,
  NO_NAME,
  readTyped,
  type Said,
  saidOfName,
  type Typed,
  toldOf,
} from '../model/connecting'
import type { Keeper, Sender } from '../model/keeper'
import { count, type Listed } from '../model/listed'

/** All that connecting needs of the page. */
interface Page {
  keeper: Keeper
  useModel(next: Typed | null): unknown
}

interface Parts {
  dialog: RefObject<HTMLDialogElement | null>
  key: RefObject<HTMLInputElement | null>
  /** What was typed, kept while the page is open. */
  draft: RefObject<Typed | null>
}

/** What is typed, what is asked, what is said of it, and what the buttons do. */
export function useConnecting({ keeper, useModel }: Page, { dialog, key, draft }: Parts) {
  const [typed, setTyped] = useState<Typed>(draft.current!)
  const [listed, setListed] = useState<Listed | null>(null)
  const [asking, setAsking] = useState<string | null>(null)
  const [said, setSaid] = useState<Said | null>(null)
  const request = useRef<AbortController | null>(null)
  draft.current = typed

  function edit(change: Partial<Typed>, field: Field | null) {
    setTyped((now) => ({ ...now, ...change }))
    if (field === 'address') setListed(null)
    setSaid((now) => now && afterAnEdit(now, field))
  }

  async function ask(send: Sender, base: string) {
    request.current = new AbortController()
    setAsking(base)
    setSaid(null)
    const found = await askForModels(send, base, request.current.signal)
    request.current = null
    setAsking(null)
    return found
  }

  /** What keeps this model from being used; null where nothing does. */
  async function tryOut(send: Sender, base: string): Promise<Said | null> {
    const blocked = blockedBefore(location.href, base)
    if (blocked) return blocked
    const found = await ask(send, base)
    if (found.kind === 'cancelled') return CANCELLED
    if (found.kind !== 'listed') return toldOf(found, location.href, base)
    const wrong = saidOfName(typed.name.trim(), found)
    setListed(wrong && count(found) ? found : null)
    if (!typed.name.trim() && found.chat.length === 1) setTyped({ ...typed, name: found.chat[0]! })
    return wrong
  }

  async function connect(anyway: boolean) {
    if (request.current) return
    const read = readTyped(typed.baseUrl, key.current!.value)
    if ('said' in read) return setSaid(read.said)
    const candidate = keeper.candidate(read.base, key.current!.value)
    const wrong = anyway ? null : await tryOut(candidate.send, read.base)
    if (!dialog.current?.open) return
    const name = typed.name.trim()
    if (wrong || !name) return setSaid(wrong ?? NO_NAME)
    candidate.keep()
    const next = { ...typed, baseUrl: read.base, name }
    setTyped(next)
    leave(next)
  }

  function leave(next: Typed | null) {
    key.current!.value = ''
    dialog.current!.close()
    void useModel(next)
  }

  function use(address: string) {
    edit({ baseUrl: address }, 'address')
    setSaid(changedTo(address))
    dialog.current!.querySelector<HTMLElement>('[type="submit"]')!.focus()
  }

  const hangUp = () => request.current?.abort()
  const cancel = () => (request.current ? hangUp() : dialog.current!.close())
  return { typed, listed, asking, said, edit, connect, leave, use, cancel, hangUp }
}

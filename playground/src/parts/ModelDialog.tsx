import { useEffect, useRef, useState } from 'preact/hooks'
import { endpoint, normalise } from '../address'
import { type Cause, mixedContent, refused, unreachable } from '../doctor'
import type { Keeper } from '../keeper'
import { cleanKey } from '../key'
import { type Model, usePage } from '../page'
import { Causes } from './Causes'

interface Trouble {
  what: string
  causes: Cause[]
  anyway: boolean
}

/** The names of the models that an OpenAI-compatible server lists. */
async function listed(response: Response): Promise<string[]> {
  const said: unknown = await response.json().catch(() => null)
  const data = (said as { data?: unknown } | null)?.data
  return Array.isArray(data) ? data.map((each) => String((each as { id?: unknown }).id)) : []
}

export function ModelDialog({ close }: { close: () => void }) {
  const { keeper, live, model, ready, useModel } = usePage()
  const dialog = useRef<HTMLDialogElement>(null)
  const key = useRef<HTMLInputElement>(null)
  const now = model.value
  const [address, setAddress] = useState(now?.baseUrl ?? 'http://localhost:11434/v1')
  const [name, setName] = useState(now?.name ?? '')
  const [kind, setKind] = useState<Model['kind']>(now?.kind ?? 'native')
  const [names, setNames] = useState<string[]>([])
  const [trying, setTrying] = useState(false)
  const [trouble, setTrouble] = useState<Trouble | null>(null)

  useEffect(() => dialog.current!.showModal(), [])

  async function connect(anyway: boolean) {
    const base = normalise(address)
    if ('wrong' in base) return setTrouble({ what: base.wrong, causes: [], anyway: false })
    if (!/^[\x21-\x7e]*$/.test(cleanKey(key.current!.value)))
      return setTrouble({
        what: 'The key holds a character that no key has. Copy it again.',
        causes: [],
        anyway: false,
      })
    setAddress(base.url)
    const candidate = keeper.candidate(base.url, key.current!.value)
    if (!anyway) {
      setTrying(true)
      setTrouble(null)
      const found = await tryOut(candidate.send, base.url)
      setTrying(false)
      if (found.trouble) return setTrouble(found.trouble)
      setNames(found.names)
      if (!name.trim()) return setTrouble({ what: choice(found.names), causes: [], anyway: false })
      if (found.names.length && !found.names.includes(name.trim())) {
        return setTrouble({
          what: `The server does not list "${name.trim()}". ${choice(found.names)}`,
          causes: [],
          anyway: true,
        })
      }
    }
    if (!name.trim()) return setTrouble({ what: 'Type the name of the model.', causes: [], anyway: false })
    candidate.keep()
    key.current!.value = ''
    useModel({ baseUrl: base.url, name: name.trim(), kind })
    dialog.current!.close()
  }

  function script() {
    key.current!.value = ''
    dialog.current!.close()
    useModel(null)
  }

  const base = normalise(address)
  const kept = 'url' in base && keeper.hasKey(base.url)
  const blocked = 'url' in base && mixedContent(location.href, base.url)
  return (
    <dialog class="pg-dialog" ref={dialog} aria-labelledby="model-title" onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void connect(false)
        }}
      >
        <h2 id="model-title">Connect a model</h2>
        <p class="pg-quiet">
          Any server that speaks OpenAI's chat API: Ollama, LM Studio, llama.cpp, vLLM, or one with a key. Calls go from
          this page straight to it.
        </p>
        {ready.value && !live.value && (
          <p class="pg-notice pg-trouble">
            This browser cannot hold Python while the page waits for a reply (WebAssembly stack switching is missing).
            Scripts work; for a live model use a recent Chrome, Edge or Firefox.
          </p>
        )}
        <label>
          Base URL
          <input
            value={address}
            spellcheck={false}
            autocomplete="off"
            inputMode="url"
            onInput={(event) => setAddress(event.currentTarget.value)}
          />
        </label>
        <label>
          Model
          <input
            value={name}
            list="model-names"
            spellcheck={false}
            autocomplete="off"
            placeholder="leave empty to see the list"
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <datalist id="model-names">
            {names.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </label>
        <label>
          Key
          <input
            ref={key}
            type="password"
            autocomplete="off"
            placeholder={kept ? 'kept; type to change it' : 'empty if it needs none'}
          />
        </label>
        <fieldset>
          <legend>How it is told about the tools</legend>
          <label>
            <input type="radio" name="kind" checked={kind === 'native'} onChange={() => setKind('native')} /> its own
            tool calls
          </label>
          <label>
            <input type="radio" name="kind" checked={kind === 'json'} onChange={() => setKind('json')} /> JSON in the
            text, for small models
          </label>
        </fieldset>
        <p class="pg-quiet">
          The key stays in this page until you close it. It is not stored, and Python never sees it.
        </p>
        <div role="status">
          {trouble && (
            <div class="pg-notice pg-trouble">
              {trouble.what}
              {trouble.causes.length > 0 && <Causes causes={trouble.causes} />}
            </div>
          )}
          {blocked && !trouble && (
            <div class="pg-notice pg-trouble">
              <Causes causes={[blocked]} />
            </div>
          )}
        </div>
        <div class="pg-buttons">
          <button type="submit" class="pg-main" disabled={trying || (ready.value && !live.value)}>
            {trying ? 'Trying…' : 'Connect'}
          </button>
          {trouble?.anyway && (
            <button type="button" onClick={() => void connect(true)}>
              Connect anyway
            </button>
          )}
          {now && (
            <button type="button" onClick={() => script()}>
              Use the script again
            </button>
          )}
          <button type="button" onClick={() => dialog.current!.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}

function choice(names: string[]): string {
  if (!names.length) return 'Type the name of the model.'
  const more = names.length > 8 ? ` and ${names.length - 8} more` : ''
  return `It has: ${names.slice(0, 8).join(', ')}${more}.`
}

/** Ask for the list of models: the smallest request that shows whether the address, the key and the origin are right. */
async function tryOut(
  send: ReturnType<Keeper['candidate']>['send'],
  base: string,
): Promise<{ names: string[]; trouble?: Trouble }> {
  try {
    const response = await send(
      { method: 'GET', url: endpoint(base, '/models'), body: null },
      AbortSignal.timeout(10_000),
    )
    if (response.ok) return { names: await listed(response) }
    return {
      names: [],
      trouble: { what: `${base} answered ${response.status}.`, causes: refused(response.status, base), anyway: true },
    }
  } catch {
    return {
      names: [],
      trouble: {
        what: `No answer from ${base}. Likely causes:`,
        causes: unreachable(location.href, base),
        anyway: true,
      },
    }
  }
}

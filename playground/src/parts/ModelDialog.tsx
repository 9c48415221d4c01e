import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { normalise } from '../model/address'
import type { Said, Typed } from '../model/connecting'
import { mixedContent } from '../model/doctor'
import { usePage } from '../page'
import { ModelChoice } from './ModelChoice'
import { ModelFields } from './ModelFields'
import { Asking, Told } from './ModelTold'
import { useConnecting } from './useConnecting'
import '../look/dialog.css'

/** The button that opens the dialog. It keeps what was typed while the page is open, but for the key. */
export function ModelButton() {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const draft = useRef<Typed | null>(null)
  const { model } = usePage()
  function close() {
    setOpen(false)
    // Safari gives no focus to a button that is pressed, so a browser alone would not find back to it.
    button.current?.focus()
  }
  return (
    <>
      <button ref={button} type="button" class="pg-field" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {model.value ? 'Change the model…' : 'Connect a model…'}
      </button>
      {open && <ModelDialog close={close} draft={draft} />}
    </>
  )
}

const FIRST: Typed = { baseUrl: 'http://localhost:11434/v1', name: '', kind: 'native' }

interface Props {
  close: () => void
  draft: RefObject<Typed | null>
}

function ModelDialog({ close, draft }: Props) {
  const { keeper, live, model, ready, useModel } = usePage()
  const dialog = useRef<HTMLDialogElement>(null)
  const key = useRef<HTMLInputElement>(null)
  const cannotWait = ready.value && !live.value
  draft.current ??= model.value ?? FIRST
  const now = useConnecting({ keeper, useModel }, { dialog, key, draft })

  useEffect(() => {
    dialog.current!.showModal()
    return now.hangUp
  }, [])
  useEffect(() => look(dialog.current!, now.said), [now.said])

  const connect = (anyway: boolean) => void (cannotWait || now.connect(anyway))
  const base = normalise(now.typed.baseUrl)
  const blocked = 'url' in base ? mixedContent(location.href, base.url) : null
  return (
    <dialog
      ref={dialog}
      class="pg-dialog"
      aria-labelledby="model-title"
      onCancel={(event) => {
        event.preventDefault()
        now.cancel()
      }}
      onClose={close}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          connect(false)
        }}
      >
        <div class="pg-body">
          <h2 id="model-title">Connect a model</h2>
          <p class="pg-quiet">
            Any server that speaks OpenAI's chat API: Ollama, LM Studio, llama.cpp, vLLM, or one with a key. Calls go
            from this page straight to it.
          </p>
          {cannotWait && (
            <p class="pg-notice pg-trouble">
              This browser cannot hold Python while the page waits for a reply (WebAssembly stack switching is missing).
              Scripts work; for a live model use a recent Chrome, Edge or Firefox.
            </p>
          )}
          <ModelFields
            typed={now.typed}
            edit={now.edit}
            keyField={key}
            hasKey={'url' in base && keeper.hasKey(base.url)}
            locked={now.asking !== null}
            wrong={now.said?.field ?? null}
            choice={
              now.listed && (
                <ModelChoice
                  listed={now.listed}
                  chosen={now.typed.name}
                  choose={(name) => now.edit({ name }, 'model')}
                  connect={() => connect(false)}
                />
              )
            }
          />
          <Asking base={now.asking} />
          <Told said={now.said} blocked={blocked} use={now.use} />
        </div>
        <div class="pg-buttons">
          <button type="submit" class="pg-main" disabled={cannotWait} aria-disabled={now.asking !== null}>
            Connect
          </button>
          <button type="button" onClick={now.cancel}>
            Cancel
          </button>
          {now.said?.anyway && (
            <button type="button" onClick={() => connect(true)}>
              Connect anyway
            </button>
          )}
          {model.value && (
            <button type="button" onClick={() => now.leave(null)}>
              Disconnect the model
            </button>
          )}
        </div>
      </form>
    </dialog>
  )
}

/** Lead the eye to what was said, and the cursor to what it asks for. */
function look(dialog: HTMLDialogElement, said: Said | null) {
  if (!said) return
  dialog.querySelector('.pg-told')!.scrollIntoView({ block: 'nearest' })
  const choice = dialog.querySelector<HTMLElement>('.pg-models :is(input, select)')
  if (choice && (said.field === 'model' || said.field === 'choice')) choice.focus()
  else if (!said.causes.length && !said.anyway) dialog.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
}

import type { ComponentChildren, RefObject } from 'preact'
import type { Field, Typed } from '../model/connecting'

interface Props {
  typed: Typed
  edit(change: Partial<Typed>, field: Field | null): void
  keyField: RefObject<HTMLInputElement | null>
  hasKey: boolean
  /** While the server is asked for its models. */
  locked: boolean
  /** The field at fault. */
  wrong: Field | null
  choice: ComponentChildren
}

/** What is to be known of a model: where it is, its name, its key, and how it is told about the tools. */
export function ModelFields({ typed, edit, keyField, hasKey, locked, wrong, choice }: Props) {
  const common = (field: Field) => ({
    spellcheck: false,
    autocomplete: 'off' as const,
    autocapitalize: 'off' as const,
    readOnly: locked,
    'aria-invalid': wrong === field,
    'aria-describedby': wrong === field ? 'model-told' : undefined,
  })
  const kind = (which: Typed['kind'], words: string) => (
    <label>
      <input
        type="radio"
        name="kind"
        checked={typed.kind === which}
        onChange={() => edit({ kind: which }, null)}
        disabled={locked}
      />
      {words}
    </label>
  )
  return (
    <>
      <label>
        Base URL
        <input
          {...common('address')}
          value={typed.baseUrl}
          inputMode="url"
          onInput={(event) => edit({ baseUrl: event.currentTarget.value }, 'address')}
        />
      </label>
      <label>
        Model
        <input
          {...common('model')}
          value={typed.name}
          placeholder="leave empty to see the list"
          onInput={(event) => edit({ name: event.currentTarget.value }, 'model')}
        />
      </label>
      {choice}
      <label>
        Key
        <input
          {...common('key')}
          ref={keyField}
          type="password"
          placeholder={hasKey ? 'kept; type to change it' : 'empty if it needs none'}
          onInput={() => edit({}, 'key')}
        />
      </label>
      <p class="pg-quiet">The key stays in this page until you close it. It is not stored, and Python never sees it.</p>
      <fieldset>
        <legend>How it is told about the tools</legend>
        {kind('native', 'its own tool calls')}
        {kind('json', 'JSON in the text, for small models')}
      </fieldset>
    </>
  )
}

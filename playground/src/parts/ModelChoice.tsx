import { useState } from 'preact/hooks'
import { count, type Listed } from '../model/listed'

/** From so many names on one looks for a word sooner than down a list. */
const MANY = 12

interface Props {
  listed: Listed
  chosen: string
  choose(name: string): void
  connect(): void
}

/** The models that a server lists, to pick from. Enter goes on, as in a field. */
export function ModelChoice({ listed, chosen, choose, connect }: Props) {
  const [filter, setFilter] = useState('')
  const words = filter.toLowerCase().split(/\s+/)
  const fits = (name: string) => words.every((word) => name.toLowerCase().includes(word))
  const chat = listed.chat.filter(fits)
  const others = listed.others.filter(fits)
  const shown = [...chat, ...others]
  const all = count(listed)
  const option = (name: string) => (
    <option key={name} value={name} selected={name === chosen}>
      {name}
    </option>
  )

  function onFilterKey(event: KeyboardEvent) {
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
    event.preventDefault()
    if (!shown.length) return
    if (!shown.includes(chosen)) choose(shown[0]!)
    ;(event.currentTarget as HTMLElement).closest('.pg-models')!.querySelector('select')!.focus()
  }

  return (
    <div class="pg-models">
      {all > MANY && (
        <label>
          Find a model
          <input
            value={filter}
            spellcheck={false}
            autocomplete="off"
            placeholder="a part of its name"
            onInput={(event) => setFilter(event.currentTarget.value)}
            onKeyDown={onFilterKey}
          />
        </label>
      )}
      <label>
        Models that the server lists
        <select
          size={Math.min(Math.max(all + (others.length ? 1 : 0), 2), 6)}
          onChange={(event) => choose(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            connect()
          }}
        >
          {chat.map(option)}
          {others.length > 0 && <optgroup label="By their names not made for a chat">{others.map(option)}</optgroup>}
        </select>
      </label>
      <p class="pg-quiet" role="status">
        {filter.trim() && `${shown.length} of ${all} fit.`}
      </p>
    </div>
  )
}

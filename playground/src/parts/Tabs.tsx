import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

export interface Tab {
  name: string
  mark?: string
  /** Drawn while another is open too: it has what must not be lost, such as the history of an editor. */
  stays?: boolean
  body: ComponentChildren
}

/** Tabs as the keyboard expects them: one stop for Tab, the arrow keys between them. `at` is for others to open one. */
export function Tabs({ label, tabs, at }: { label: string; tabs: Tab[]; at?: Signal<number> }) {
  const own = useSignal(0)
  const open = at ?? own
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  function move(event: KeyboardEvent) {
    const last = tabs.length - 1
    const to = {
      ArrowRight: open.value === last ? 0 : open.value + 1,
      ArrowLeft: open.value === 0 ? last : open.value - 1,
      Home: 0,
      End: last,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    open.value = to
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[to]?.focus()
  }

  return (
    <>
      <div class="pg-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-body-${index}`}
            aria-selected={index === open.value}
            tabIndex={index === open.value ? 0 : -1}
            onClick={() => {
              open.value = index
            }}
          >
            {tab.name}
            {tab.mark && <span class="pg-mark-edited"> {tab.mark}</span>}
          </button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <div
          key={tab.name}
          role="tabpanel"
          id={`${id}-body-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          hidden={index !== open.value}
        >
          {(tab.stays || index === open.value) && tab.body}
        </div>
      ))}
    </>
  )
}

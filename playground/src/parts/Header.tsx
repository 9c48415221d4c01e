import { useRef, useState } from 'preact/hooks'
import { useLook } from '../look/look'
import { Help } from './Help'
import { Menu } from './Menu'
import { ModelButton } from './ModelDialog'
import { Progress, PythonState } from './PythonState'

function HelpButton() {
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const show = () => setOpen(true)
  function close() {
    setOpen(false)
    button.current?.focus() // Safari alone would not find back to it, see ModelButton
  }
  return (
    <>
      <button ref={button} type="button" class="pg-field pg-icon" aria-label="Help" title="Help" onClick={show}>
        <span aria-hidden="true">?</span>
      </button>
      {open && <Help close={close} />}
    </>
  )
}

function LookButtons() {
  const { theme, size } = useLook()
  const colours = theme.dark.value ? 'Use light colours' : 'Use dark colours'
  return (
    <>
      <button
        type="button"
        class="pg-field pg-icon"
        aria-label="Large text"
        title="Large text, for a projector"
        aria-pressed={size.large.value}
        onClick={size.toggle}
      >
        <span aria-hidden="true">
          <small>A</small>A
        </span>
      </button>
      <button type="button" class="pg-field pg-icon" aria-label={colours} title={colours} onClick={theme.toggle}>
        <span aria-hidden="true">{theme.dark.value ? '☀' : '☾'}</span>
      </button>
    </>
  )
}

/** Nothing in it changes its width: what is pressed stays where it is from the first frame on. */
export function Header() {
  return (
    <header class="pg-header">
      <h1 class="pg-brand">mingraph lite</h1>
      <PythonState />
      <Menu />
      <div class="pg-model">
        <ModelButton />
      </div>
      <div class="pg-icons">
        <LookButtons />
        <HelpButton />
      </div>
      <Progress />
    </header>
  )
}

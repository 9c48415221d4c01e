import { useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../page'

const WORDS: [string, string][] = [
  [
    'folder',
    'All that has been said in a run, line by line. It only grows, and the model is read all of it each time.',
  ],
  ['card', 'Where the loop is. It holds one at a time; each says what it does, and which card comes next.'],
  ['slip', 'A request of the model to run a tool. Its answer goes into the folder under the same number.'],
  ['tool', 'A Python function that the loop runs for the model.'],
  ['desk', 'The folder, the card, and the buttons.'],
  ['trace', 'What happened, as a list: every call, every reply and every tool, with its tokens where they are known.'],
]

const KEYS: [string, string][] = [
  ['→', 'Next card'],
  ['←', 'Back: only looks, runs nothing. Play pauses'],
  ['Home, End', 'the first card, the last one so far, while the keyboard is on the desk'],
  ['1 to 9, Enter', 'in the question: pick a guess, lock it'],
  ['← → in tabs', 'another tab'],
  ['Tab', 'leaves the editor, as any other field'],
  ['Escape', 'closes this help'],
]

function Pairs({ pairs, keys }: { pairs: [string, string][]; keys?: boolean }) {
  return (
    <dl class="pg-pairs">
      {pairs.map(([name, text]) => (
        <div key={name}>
          <dt>{keys ? <kbd>{name}</kbd> : name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What stays open where the host cannot close it. Said only once the host has been asked. */
function HostNote() {
  const { sendsPolicy } = usePage()
  const [closed, setClosed] = useState<boolean | null>(null)
  useEffect(() => {
    let is = true
    void sendsPolicy().then((found) => is && setClosed(found))
    return () => {
      is = false
    }
  }, [])
  if (closed !== false) return null
  return (
    <p class="pg-host">
      This host sends no policy for Python's worker: code in tools.py can reach the network from here. Your key it
      cannot reach. A page that <code>python3 start.py</code> serves is closed.
    </p>
  )
}

function Kept() {
  return (
    <>
      <h3>What is kept, and where</h3>
      <ul>
        <li>Your edits: in this browser, for each scenario, until you take them back.</li>
        <li>The size of the text and the colours: for this tab. Guesses: until you close the page.</li>
        <li>A key: nowhere. It is in this page until you close it, and Python never sees it.</li>
      </ul>
      <HostNote />
    </>
  )
}

function Versions() {
  const now = usePage().status.value
  return (
    <>
      <h3>Versions, licence, source</h3>
      <p>
        {now.phase === 'ready'
          ? `mingraph_lite ${now.version}, on Python ${now.python} in this page.`
          : 'Python is not there yet, so its version is not known.'}
      </p>
      <p>
        No licence has been chosen for mingraph_lite yet. The parts it is built with have theirs:{' '}
        <a href="licences.md">those of the page</a>, <a href={`${PYTHON_FOLDER}PYODIDE.txt`}>that of Python in it</a>.
      </p>
      <p>The source is the folder that this page was built from; it has no address of its own. Its README says more.</p>
    </>
  )
}

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    dialog.current!.showModal()
    title.current!.focus() // and not the first link, which is far below
  }, [])
  return (
    <dialog class="pg-dialog pg-help" ref={dialog} aria-labelledby="help-title" onClose={close}>
      <form method="dialog">
        <div class="pg-body">
          <h2 id="help-title" tabIndex={-1} ref={title}>
            What this is
          </h2>
          <p>
            A language model runs nothing and remembers nothing: a loop around it runs the tools it asks for and reads
            it all that was said. This page runs such a loop in Python, one card at a time, so that you can watch, guess
            and change it.
          </p>
          <h3>Words</h3>
          <Pairs pairs={WORDS} />
          <h3>Keys</h3>
          <Pairs pairs={KEYS} keys />
          <h3>The lessons</h3>
          <p>
            In notebooks you build this loop yourself. Say <code>python3 start.py</code> in the project's folder: it
            opens lesson 00, and this page beside it.
          </p>
          <Kept />
          <Versions />
        </div>
        <div class="pg-buttons">
          <button type="submit" class="pg-main">
            Close
          </button>
        </div>
      </form>
    </dialog>
  )
}

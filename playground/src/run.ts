// One run, from its first card to its end: what it recorded, which frame is shown, and what its buttons do.
// Nothing here is shared with another run but Python, which takes one turn at a time.
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals'
import { messages } from '../../mingraph_lite/views/lines.js'
import type { Frame, Outcome, Pointed } from './frame'
import { checked } from './python/checked'
import type { Measured, Setup, Turned } from './python/messages'
import type { Python, Stopped } from './python/python'

export interface Notice {
  kind: 'info' | 'trouble'
  text: string
  pointed: Pointed | null
}

export interface RunParts {
  number: number
  python: Python
  /** The line to the model. */
  line: { isWaiting(): boolean; dropAll(): void }
  /** What a run would be made of now. */
  setup(): Setup
  /** What is wrong with that, in a sentence: then no run begins. Empty where all is well. */
  wrong(): string
  /** The rounds that the scenario came with. */
  originalRounds(): number
  /** How long a card stays in sight while the run plays, in milliseconds. */
  pace(): number
  /** It came to its end by itself. */
  ended(): void
}

const SAID: Record<Stopped['met'], string> = {
  between: 'Interrupted between two cards',
  waiting: 'Interrupted while waiting for the model; the request was cut off',
  sleeping: 'Interrupted in a sleep',
  computing: 'Interrupted in the middle of a computation',
  gone: 'Interrupted, but Python did not let go',
}

const ITSELF = 'tools.py was interrupted, and nobody pressed Stop: it raised KeyboardInterrupt itself.'

const NO_FRAME = 'Python handed the page something that is no frame:'

export function makeRun({ number, python, line, setup, wrong, originalRounds, pace, ended }: RunParts) {
  const frames = signal<readonly Frame[]>([])
  const at = signal(0)
  const doing = signal<'nothing' | 'turning' | 'stopping'>('nothing')
  const playing = signal(false)
  const notice = signal<Notice | null>(null)
  const measured = signal<Measured | null>(null)
  /** Its Python is gone: no other run can go on from its folder. */
  const lost = signal(false)
  /** The texts that it was begun with; null while it is not begun. */
  const madeOf = signal<string | null>(null)
  /** The tools that Python was given last, null for those of the scenario: what it points at is a line of these. */
  const tools = signal<string | null>(null)
  /** The texts with which it could not begin. */
  const refusedWith = signal('')
  let player = {}
  let after: number | null = null
  let beginning: Promise<boolean> = Promise.resolve(false)
  let begins = 0

  const over = computed(() => frames.value.at(-1)?.outcome != null)
  const busy = computed(() => playing.value || doing.value !== 'nothing')
  /** An edit that this run does not know of. */
  const stale = computed(() => madeOf.value !== null && madeOf.value !== JSON.stringify(setup()))
  /** What kept it from beginning was changed since. */
  const mended = computed(() => refusedWith.value !== '' && refusedWith.value !== JSON.stringify(setup()))
  const lines = computed(() => frames.value.reduce((sum, frame) => sum + frame.lines.length, 0))

  /**
   * Hold it before its first card: nothing is asked and no tool is run yet. Tools that were edited are code, and code
   * waits for a press: until then the first card is that of the scenario as it came, which looks the same.
   */
  function begin(how: { pressed: boolean }): Promise<boolean> {
    beginning = beginNow(how)
    return beginning
  }

  async function beginNow({ pressed }: { pressed: boolean }): Promise<boolean> {
    const asked = { ...setup(), after }
    if (!pressed) Object.assign(asked, { tools: null, maxSteps: wrong() ? originalRounds() : asked.maxSteps })
    else if (wrong()) return refuse(wrong(), null)
    batch(() => {
      refusedWith.value = ''
      tools.value = asked.tools
      madeOf.value = JSON.stringify({ ...asked, after: null })
      doing.value = 'turning'
      // Begun again in the next Python: why the one before had to end is still to be read.
      if (pressed) notice.value = null
      measured.value = null
    })
    const mine = ++begins
    const turned = checked(await python.begin(number, asked), [])
    if (doing.value !== 'turning' || mine !== begins) return false // stopped, or begun again in the next Python
    batch(() => {
      frames.value = []
      if (turned.frame) lost.value = false
      take(turned)
      if (!turned.frame) madeOf.value = null
    })
    return turned.frame !== undefined && !over.value
  }

  /** Run the card in the hand, or show the next one where it has been run already. */
  async function next() {
    if (at.value < frames.value.length - 1) return void (at.value += 1)
    if (over.value || doing.value !== 'nothing') return
    // Where nothing could be begun, the first press shows the first card.
    if (madeOf.value === null) return void (await begin({ pressed: true }))
    // Nothing has been run yet, so an edit counts at once.
    if (stale.value && frames.value.length === 1 && !(await begin({ pressed: true }))) return
    doing.value = 'turning'
    performance.mark('card')
    const turned = checked(await python.next(number), frames.value)
    batch(() => take(turned))
  }

  function take(turned: Turned) {
    if (turned.lost && frames.value.length) return // `lose` has seen to it
    const unasked = turned.stopped !== undefined && doing.value === 'turning'
    if (doing.value === 'turning') doing.value = 'nothing'
    if (turned.frame) {
      const follows = at.value >= frames.value.length - 1 // else the reader looks at an earlier card
      frames.value = [...frames.value, turned.frame]
      if (follows) at.value = frames.value.length - 1
    }
    if (turned.measured) measured.value = turned.measured
    if (turned.refused !== undefined) refuse(turned.refused, turned.pointed ?? null)
    if (unasked) refuse(ITSELF, turned.pointed ?? null)
    if (turned.wrong !== undefined) {
      refuse(`${NO_FRAME} ${turned.wrong}. Press Reset, or Restart Python where that does not help.`, null)
      close('failed', `${NO_FRAME} ${turned.wrong}.`, [])
    }
    if (turned.broken !== undefined) {
      const pointed = turned.pointed ?? null
      const said = pointed ? `${turned.broken.replace(/\.$/, '')}. It was at` : turned.broken
      refuse(`Python broke down and starts again. It said: ${said}`, pointed)
      close('failed', turned.broken, pointed ? [pointed] : [])
      python.restart()
    }
    if (!over.value) return
    pausePlaying()
    performance.mark('run-over')
    ended()
  }

  function refuse(text: string, pointed: Pointed | null): false {
    pausePlaying()
    refusedWith.value = frames.value.length ? '' : JSON.stringify(setup())
    notice.value = { kind: 'trouble', text, pointed }
    return false
  }

  /** Go on by itself. A run that is over does not begin again: a fresh one does. */
  async function play() {
    if (playing.value || (over.value && at.value === frames.value.length - 1)) return
    player = {}
    const mine = player
    playing.value = true
    await beginning
    while (player === mine) {
      await next()
      const through = at.value === frames.value.length - 1 && (over.value || madeOf.value === null)
      if (through && player === mine) return pausePlaying()
      await sleep(pace())
    }
  }

  function pausePlaying() {
    player = {}
    playing.value = false
  }

  /** Stop it, whatever Python is doing. The frames so far stay; a closing one says that it was interrupted. */
  async function stop() {
    if (doing.value === 'stopping' || (!busy.value && !frames.value.length)) return
    const waiting = line.isWaiting() && python.isTurning(number)
    batch(() => {
      pausePlaying()
      doing.value = 'stopping'
    })
    if (python.isTurning(number)) line.dropAll()
    const stopped = await python.stop(number, waiting)
    batch(() => {
      // With a spare Python it may be begun again by now.
      const stays = doing.value === 'stopping'
      if (stays) doing.value = 'nothing'
      if (stays && !frames.value.length) madeOf.value = null
      tellOf(stopped, stays)
    })
    performance.mark('stopped')
  }

  function tellOf({ met, place, restarted }: Stopped, stays: boolean) {
    const what = met === 'sleeping' ? 'stopped in a sleep' : 'stopped here'
    const pointed = place && { file: place.file, line: place.line, text: place.text, what }
    if (stays) close('interrupted', `${SAID[met]}.`, pointed ? [pointed] : [])
    if (over.value && frames.value.at(-1)?.outcome?.reason !== 'interrupted') {
      notice.value ??= { kind: 'info', text: 'The run came to its end before Stop could interrupt it.', pointed: null }
      return
    }
    const known = frames.value.at(-1)?.pointed.at(-1) ?? pointed ?? null
    at.value = Math.max(0, frames.value.length - 1)
    notice.value = { kind: 'info', text: `${SAID[met]}.${restarted ? ' Python starts again.' : ''}`, pointed: known }
  }

  /** The frame that the page adds where Python could not say goodbye itself. */
  function close(reason: Outcome['reason'], error: string, pointed: Pointed[]) {
    if (over.value || !frames.value.length) return
    const none = { lines: [], asides: [], readings: [], events: [], printed: '' }
    frames.value = [
      ...frames.value,
      {
        ...none,
        number: null,
        card: null,
        picked_by: null,
        because: '',
        pointed,
        outcome: { reason, answer: null, error },
        sentence: `run over: ${reason} | folder has ${messages(lines.value)}`,
      },
    ]
    at.value = frames.value.length - 1
  }

  /** Let Python forget the run whose folder this one went on with. */
  async function letGo() {
    const earlier = after
    after = null
    if (earlier !== null && !lost.value) await python.close(earlier)
  }

  return {
    number,
    frames: frames as ReadonlySignal<readonly Frame[]>,
    at: at as ReadonlySignal<number>,
    doing: doing as ReadonlySignal<'nothing' | 'turning' | 'stopping'>,
    playing: playing as ReadonlySignal<boolean>,
    notice: notice as ReadonlySignal<Notice | null>,
    tools: tools as ReadonlySignal<string | null>,
    measured: measured as ReadonlySignal<Measured | null>,
    lost: lost as ReadonlySignal<boolean>,
    over,
    busy,
    stale,
    mended,
    isBegun: () => madeOf.value !== null,
    /** Another run's folder to go on with. */
    goOnFrom: (run: number) => void (after = run),
    begin,
    next,
    play,
    stop,
    pausePlaying,
    /** Say something that is no trouble. */
    tell: (text: string) => void (notice.value = { kind: 'info', text, pointed: null }),
    /** Who looks at another card wants to read it: Play goes no further. A card that is being run comes to its end. */
    goto(index: number) {
      pausePlaying()
      at.value = Math.max(0, Math.min(index, frames.value.length - 1))
    },
    back() {
      pausePlaying()
      at.value = Math.max(0, at.value - 1)
    },
    /** Its worker is gone. One that waits to begin does so in the next. */
    lose() {
      if (!frames.value.length) return
      after = null
      batch(() => {
        lost.value = true
        if (frames.value.length === 1) {
          madeOf.value = null // nothing was run: it can begin again
          if (doing.value === 'turning') doing.value = 'nothing'
          return
        }
        if (doing.value !== 'stopping') {
          pausePlaying()
          doing.value = 'nothing'
          close('interrupted', 'Interrupted: Python was started again.', [])
        }
      })
    },
    /** Nobody looks at it any more: whatever it does ends, and Python forgets it. */
    async dispose() {
      await letGo()
      const known = madeOf.value !== null // one that is stopped while it begins is, too
      if (busy.value) await stop()
      if (known && !lost.value) await python.close(number)
    },
    letGo,
  }
}

export type Run = ReturnType<typeof makeRun>

const sleep = (milliseconds: number) => new Promise((go) => setTimeout(go, milliseconds))

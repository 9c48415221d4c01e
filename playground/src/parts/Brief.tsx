import { usePage } from '../page'
import type { Scenario } from '../python/messages'
import { Trouble } from './Trouble'
import { useWaiting } from './useWaiting'

const ANSWERS: Record<Scenario['kind'], string> = {
  reading: 'a model that reads what it is handed',
  script: 'a script, the same lines whatever you ask',
  fault: 'a script, the same lines whatever you ask',
}

/** Who answers in the run that is shown. */
function Answers() {
  const { model, calls, scenario } = usePage()
  const live = model.value
  const kind = scenario.value?.kind
  if (live) {
    return (
      <p key="live" class="pg-answers" title={live.baseUrl}>
        Answers: <b>{live.name}</b>, {calls.value === 1 ? '1 call' : `${calls.value} calls`} so far
      </p>
    )
  }
  return <p class="pg-answers">{kind ? `Answers: ${ANSWERS[kind]}` : ''}</p>
}

/** On a phone the question stands below the desk. */
function ToTheQuestion() {
  const go = (event: Event) => {
    event.preventDefault() // its address would be kept, and a reload would jump
    const question = document.querySelector<HTMLElement>('.pg-ask')!
    question.scrollIntoView({ block: 'nearest' })
    question.querySelector('input')?.focus({ preventScroll: true })
  }
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a place; and a button would make its line higher on a phone
    <a href="#question" onClick={go}>
      Guess
    </a>
  )
}

/** What one holds and what to press, for who has never seen this: from before the first press to after the last. */
function Hint() {
  const { run, ready, scenario, asks } = usePage()
  const { frames, at, over, notice, playing, stale, mended } = run.value
  const waiting = useWaiting()
  const last = frames.value.length - 1
  if (!ready.value && !frames.value.length) {
    return <p class="pg-first">Python is on its way into this page. The first card comes with it.</p>
  }
  if (over.value && at.value === last) {
    return <p class="pg-first">The run is over. Go back and look, change what it is made of, or press Reset.</p>
  }
  if (playing.value) return <p class="pg-first">It plays. Back pauses it; Stop ends the run.</p>
  if (at.value < last && waiting.value) {
    return <p class="pg-first">You look at an earlier card, while the last one is being run.</p>
  }
  if (waiting.value) return <p class="pg-first">The card in the hand is being run. Stop ends the run.</p>
  if (at.value < last) return <p class="pg-first">You look at an earlier card. Nothing is run until you are back.</p>
  if (last > 0 && stale.value) {
    return <p class="pg-first">This run goes on as it began. Reset begins one with what you changed.</p>
  }
  if (last > 0) return <p class="pg-first">Next card runs the card you hold, and hands you the one after it.</p>
  if (last < 0 && notice.value) {
    return (
      <p class="pg-first">
        {mended.value
          ? 'Next card tries again, with what you changed.'
          : 'The run could not begin. The reason stands below the desk.'}
      </p>
    )
  }
  if (stale.value) return <p class="pg-first">Nothing has been run yet. The next card begins with what you changed.</p>
  if (asks.isGoingOn.value) return <p class="pg-first">Type the next question, then press Next card.</p>
  const card = frames.value[0]?.card?.name
  if (!card || !scenario.value) return <p class="pg-first" />
  const asked = asks.shown.value
  const isAsked = asked !== null && asked.guess === null && !asked.skipped
  const about = card === 'CallingModel' ? ': it asks the model' : ', and nothing has been run yet'
  return (
    <p class="pg-first">
      You hold the card <b>{card}</b>
      {about}. {isAsked && <ToTheQuestion />}
      {isAsked ? ', then press' : 'Press'} <b>Next card</b>.
    </p>
  )
}

/** The place above the desk. It is as high as its longest text, so that the desk never moves under the mouse. */
export function Brief() {
  const { scenario, status } = usePage()
  const now = status.value
  return (
    <div class="pg-brief">
      {now.phase === 'failed' ? (
        <Trouble what={now.what} />
      ) : (
        <>
          <p class="pg-what">{scenario.value?.what}</p>
          <Answers />
          <Hint />
        </>
      )}
    </div>
  )
}

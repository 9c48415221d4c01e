// Made of mingraph_lite/views/question_types.py by `python -m mingraph_lite.views.typescript playground/src/question.ts`

/**
 * One question: asked, guessed, skipped, voted on or revealed.
 *
 * `choices` are texts in their fixed places; where there are none, a value is typed.
 * `guess` and `fact` are such texts, or what was typed and what was measured. `number`
 * is "1 of 3", or empty. `why` is what the learner wrote for themselves. `votes` has a
 * count for each choice. `told` is the sentence after the reveal, so it is empty until
 * there is a `fact`. `note` is what is said about a guess of the wrong kind; of a
 * question that is answered, it says where its fact stands.
 */
export interface Question {
  key: string
  question: string
  choices: Array<string>
  number: string
  guess: string | null
  skipped: boolean
  why: string
  votes: Array<number> | null
  fact: string | null
  told: string
  note: string
}

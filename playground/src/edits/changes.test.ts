import { expect, it } from 'vitest'
import { changes } from './changes'

/** As text: a sign, and the changed pieces in brackets. */
const read = (before: string, after: string) =>
  changes(before, after).map((line) =>
    line.kind === 'gap'
      ? `... ${line.lines}`
      : { same: ' ', removed: '-', added: '+' }[line.kind] +
        line.pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join(''),
  )

it('has nothing to say of two texts that are one', () => {
  expect(read('a\nb', 'a\nb')).toEqual([])
})

it('shows a changed line as it was and as it is, with the place', () => {
  expect(read('one\nreturn 18\nend', 'one\nreturn 30\nend')).toEqual([' one', '-return [18]', '+return [30]', ' end'])
})

it('leaves out what stands far from any change', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`)
  const after = lines.with(6, 'other').join('\n')
  expect(read(lines.join('\n'), after)).toEqual([
    ...['... 4', ' line 4', ' line 5', '-[line 6]', '+[other]'],
    ...[' line 7', ' line 8', '... 3'],
  ])
})

it('shows lines that were added at the end and taken away at the beginning', () => {
  expect(read('a\nb\nc', 'b\nc\nd')).toEqual(['-[a]', ' b', ' c', '+[d]'])
})

it('tells of empty lines and of an empty text', () => {
  expect(read('', 'a')).toEqual(['-', '+[a]'])
  expect(read('a\nb', 'a\n\nb')).toEqual([' a', '+', ' b'])
  expect(read('10', '12')).toEqual(['-1[0]', '+1[2]'])
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const HERE = new URL('.', import.meta.url)
const SHEETS = readdirSync(HERE).filter((name) => name.endsWith('.css'))

/** The selectors of a sheet, each by itself; what keyframes are made of is none. */
function selectors(sheet: string): string[] {
  const rules = sheet.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@keyframes[^{]*\{(?:[^{}]*\{[^}]*\})*[^}]*\}/g, '')
  const heads = [...rules.matchAll(/([^{};]+)\{/g)]
    .map(([, head]) => head!.trim())
    .filter((head) => !head.startsWith('@'))
  return heads.flatMap((head) => head.split(/,(?![^(]*\))/).map((each) => each.trim()))
}

const strangers = (sheet: string) => selectors(sheet).filter((each) => !/\.pg-[a-z]/.test(each))

/** Sizes of type that no switch can turn. A least size beside the scale is none. */
const fixed = (sheet: string) => {
  const sizes = sheet.match(/font(?:-size)?:[^;]*?\b\d+(?:\.\d+)?(?:px|pt)\b[^;]*/g) ?? []
  return sizes.filter((each) => !/max\([^)]*var\(--t/.test(each))
}

const read = (name: string) => readFileSync(new URL(name, HERE), 'utf8')

describe('the sheets of the page', () => {
  it.each(SHEETS)('%s touches nothing but the page’s own parts', (name) => {
    expect(strangers(read(name))).toEqual([])
  })

  it.each(SHEETS)('%s has the sizes of its type from the scale', (name) => {
    expect(fixed(read(name))).toEqual([])
  })

  it('would be told apart if they did not', () => {
    const sheet =
      '/* a, b */ .pg-a, td { font: 13px/1 x; } @media (x) { .link b { top: 0 } } @keyframes k { from { top: 0 } }'
    expect(strangers(sheet)).toEqual(['td', '.link b'])
    expect(fixed(sheet)).toEqual(['font: 13px/1 x'])
  })
})

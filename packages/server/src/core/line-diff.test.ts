import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DiffLine, diffLines } from './line-diff.ts'

const shown = (lines: DiffLine[]) =>
  lines.map(({ change, text }) => ({ same: ' ', removed: '-', added: '+' })[change] + text)

describe('diffLines', () => {
  it('shows changed lines with some around them', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng'
    expect(shown(diffLines(before, before.replace('d', 'D')))).toEqual([' b', ' c', '-d', '+D', ' e', ' f'])
    expect(diffLines(before, before)).toEqual([])
    expect(shown(diffLines('', 'a'))).toEqual(['+a'])
    expect(shown(diffLines('a\r\nb', 'a\nb'))).toEqual([])
  })

  it('is one of the shortest, and turns one text into the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = diffLines(a.join('\n'), b.join('\n'), { context: 100 })
        if (lines.length === 0) {
          expect(a).toEqual(b)
          return
        }
        const of = (without: string) =>
          lines.filter(({ change }) => change !== without).map(({ text }) => text)
        expect(of('added')).toEqual(a)
        expect(of('removed')).toEqual(b)
        expect(lines.filter(({ change }) => change === 'same').length).toBe(longestCommon(a, b))
      }),
    )
  })

  it('is bounded, whatever the texts are', () => {
    const lines = (word: string) =>
      Array.from({ length: 100_000 }, (_, n) => `${word} ${n} ${'x'.repeat(600)}`).join('\n')
    const diff = diffLines(lines('a'), lines('b'))
    expect(diff).toHaveLength(200)
    expect(diff.every(({ text }) => text.length <= 500)).toBe(true)
  })
})

function longestCommon(a: string[], b: string[]): number {
  const [first, ...rest] = a
  if (first === undefined) return 0
  const table = [first, ...rest].reduce<number[]>(
    (row, one) =>
      b.reduce<number[]>(
        (next, other, j) => {
          const above = row[j + 1] ?? 0
          next.push(one === other ? (row[j] ?? 0) + 1 : Math.max(above, next[j] ?? 0))
          return next
        },
        [0],
      ),
    Array<number>(b.length + 1).fill(0),
  )
  return table.at(-1) ?? 0
}

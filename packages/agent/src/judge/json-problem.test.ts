import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonProblem } from './json-problem.ts'

describe('what is wrong with a JSON text', () => {
  it.each([
    ['{"status":"up","items":[1,2', 'unexpected end at position 27 (line 1, column 28)'],
    ['{"status":"u', 'unexpected end at position 12 (line 1, column 13)'],
    ['{"a":tr', 'unexpected end at position 7 (line 1, column 8)'],
    ['<html>', 'unexpected "<" at position 0 (line 1, column 1)'],
    ['{"a":1,}', 'unexpected "}" at position 7 (line 1, column 8)'],
    ['{"a":1}\n{"b":2}', 'unexpected "{" at position 8 (line 2, column 1)'],
    ['{a:1}', 'unexpected "a" at position 1 (line 1, column 2)'],
    ["{'a':1}", 'unexpected "\'" at position 1 (line 1, column 2)'],
    ['[1 2]', 'unexpected "2" at position 3 (line 1, column 4)'],
    ['[1}', 'unexpected "}" at position 2 (line 1, column 3)'],
    ['{"a":NaN}', 'unexpected "N" at position 5 (line 1, column 6)'],
    ['{"a":01}', 'unexpected "0" at position 5 (line 1, column 6)'],
  ])('%s: %s', (text, problem) => {
    expect(jsonProblem(text)).toBe(problem)
  })

  it('is always found, and never beyond the text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, cut) => {
        const text = json.slice(0, cut % json.length)
        const position = Number(/position (\d+)/.exec(jsonProblem(text))?.[1])
        expect(position).toBeLessThanOrEqual(text.length)
        expect(jsonProblem(json)).toContain(`unexpected end at position ${json.length}`)
      }),
    )
  })

  it('is left without a position in a large text', () => {
    expect(jsonProblem(`["${'x'.repeat(2_000_000)}`)).toBe('it has a syntax error')
  })
})

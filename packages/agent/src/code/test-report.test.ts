import { describe, expect, test } from 'vitest'
import { parseReport } from './test-report.ts'

const begin = JSON.stringify({ kind: 'begin', version: '1.58.2', tests: 2, html: null })
const result = (id: string) =>
  JSON.stringify({
    ...{ kind: 'result', id, title: id, suitePath: [], projectName: '', file: 'a.spec.ts', line: 1 },
    ...{ status: 'passed', expectedStatus: 'passed', retry: 0, startTime: 1, duration: 1 },
    ...{ errors: [], attachments: [] },
  })
const ids = (lines: string[]) => parseReport(lines.join('\n'))?.tests.map(({ id }) => id)

describe('the report of a suite', () => {
  test('is read in spite of lines that are none', () => {
    expect(ids([begin, result('a'), '{', 'null', '{"kind":"witchcraft"}', '', result('b')])).toEqual([
      'a',
      'b',
    ])
    expect(parseReport('')).toBeNull()
  })

  test('is not read on where it is nothing but nonsense', () => {
    const nonsense = new Array<string>(1_000).fill('{}')
    expect(ids([begin, result('a'), ...nonsense, result('b')])).toEqual(['a'])
  })

  test('has an end', () => {
    const many = Array.from({ length: 30_000 }, (_, at) => result(`t${at}`))
    expect(ids([begin, ...many])).toHaveLength(19_999)
  })
})

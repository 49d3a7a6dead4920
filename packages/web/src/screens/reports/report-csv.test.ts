import { expect, it } from 'vitest'
import { reportAsCsv } from './report-csv.ts'
import type { ReportEntry } from './report-filters.ts'

const figures = {
  ...{ runs: 4, failedRuns: 1, availability: 75, skipped: 0, missed: 0, coverage: 100 },
  ...{ avg: 10.5, p50: 10, p95: 20, p99: null },
}

it('has a row for each check, and no formula of a name', () => {
  const entry: ReportEntry = {
    ...{
      checkId: 'id',
      name: '=cmd()',
      checkType: 'URL',
      groupId: 1,
      groupName: '@group',
      tags: ['-a', 'b'],
    },
    ...{ activated: true, figures, previous: figures },
  }
  const [head, row] = reportAsCsv([entry]).split('\r\n')
  expect(head?.split(',')).toHaveLength(row?.split(',').length ?? 0)
  expect(row).toContain("'=cmd(),id,URL,'@group,'-a b,yes,75,4,1,100,0,10.5,10,20,,75")
})

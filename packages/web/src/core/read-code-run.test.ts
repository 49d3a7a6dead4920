import { expect, it } from 'vitest'
import { readLog, readPages } from './read-code-run.ts'

it('reads the vitals of pages', () => {
  const pages = [
    { url: 'https://a', webVitals: { LCP: { value: 1200, score: 'GOOD' }, FCP: 800 } },
    { url: 7 },
    null,
  ]
  expect(readPages(pages)).toEqual([{ url: 'https://a', vitals: { LCP: 1200, FCP: 800 } }])
})

it('reads log lines', () => {
  expect(readLog([{ time: 1, msg: 'a', level: 'INFO' }, { msg: 'b' }, 'c'])).toEqual([
    { time: 1, msg: 'a', level: 'INFO' },
    { time: 0, msg: 'b', level: '' },
  ])
})

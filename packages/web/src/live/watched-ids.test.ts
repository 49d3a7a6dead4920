import { expect, it } from 'vitest'
import { maxWatched, uniteWatched } from './watched-ids.ts'

it('unites the checks of all tabs, sorted, so that the same set is the same stream', () => {
  const byTab = new Map([
    ['one', ['b', 'a']],
    ['two', ['c', 'b']],
  ])
  expect(uniteWatched(byTab)).toEqual(['a', 'b', 'c'])
})

it('keeps those of the latest tab if there are too many', () => {
  const old = Array.from({ length: maxWatched }, (_, index) => `old-${index}`)
  const united = uniteWatched(
    new Map([
      ['one', old],
      ['two', ['new']],
    ]),
  )
  expect(united).toHaveLength(maxWatched)
  expect(united).toContain('new')
})

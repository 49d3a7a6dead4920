import { expect, it } from 'vitest'
import { findScreens, listOperations, readReasons } from './screens.mjs'

const operations = listOperations()
const screens = findScreens(operations)
const reasons = readReasons()

it('finds the screens of operations, through imports, of streams, and of paths with a computed part', () => {
  expect(screens.get('GET /v1/overview')).toEqual(['/'])
  expect(screens.get('GET /v1/analytics/url-monitors/{id}')).toEqual(['/checks/:id'])
  expect(screens.get('GET /v1/events')).toEqual(['every screen'])
  expect(screens.get('GET /v1/check-results/{checkId}/{checkResultId}')).toContain(
    '/checks/:id/results/:resultId',
  )
})

it('every operation has a screen, or a reason in packages/web/operations-without-screen.json', () => {
  const neither = operations.filter((name) => screens.get(name)?.length === 0 && !reasons.has(name))
  expect(neither).toEqual([])
})

it('no reason is stale', () => {
  const stale = [...reasons.keys()].filter((name) => screens.get(name)?.length !== 0)
  expect(stale, 'operations that have a screen, or do not exist').toEqual([])
})

import { ApiError } from '@vedette/contracts'
import { expect, it } from 'vitest'
import { readBudget } from './read-budget.ts'

function thrownBy(work: () => void): ApiError {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
  }
  throw new Error('nothing was thrown')
}

it('lets up to the limit be read, and names it beyond', () => {
  const onRead = readBudget(2_000, 'target', new AbortController().signal)
  onRead(1_500)
  onRead(500)
  const { status, attributes } = thrownBy(() => onRead(1))
  expect(status).toBe(400)
  expect(attributes).toEqual({
    target: 'must choose at most 2,000 results: fewer checks, or a shorter period',
  })
})

it('stops when the client has disconnected', () => {
  const onRead = readBudget(2_000, 'target', AbortSignal.abort())
  expect(thrownBy(() => onRead(1)).status).toBe(503)
})

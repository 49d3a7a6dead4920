import { type CheckSessionStatus, TriggeredCheckGroup } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { serializeOutcome } from './serialize-outcome.ts'

const checkId = 'c0ffee00-0000-4000-8000-000000000001'
const session: Parameters<typeof serializeOutcome>[0] = {
  check_id: checkId,
  check_type: 'API',
  status: 'PASSED',
  stopped_at: '2026-11-15T08:00:00.000Z',
}
const results: Parameters<typeof serializeOutcome>[1] = [
  { result_type: 'ATTEMPT', response_time: 900 },
  { result_type: 'FINAL', response_time: 120 },
]

describe('the response of a trigger URL', () => {
  it.each<[CheckSessionStatus, boolean]>([
    ['PASSED', false],
    ['DEGRADED', false],
    ['FAILED', true],
    ['TIMED_OUT', true],
    ['CANCELLED', true],
  ])('%s: whether it failed, and how long the last attempt took', (status, hasFailures) => {
    expect(serializeOutcome({ ...session, status }, results)).toEqual({
      checkId,
      hasFailures,
      responseTime: 120,
    })
  })

  it('no time for other types than API checks, or without a result', () => {
    const outcome = { checkId, hasFailures: false }
    expect(serializeOutcome({ ...session, check_type: 'URL' }, results)).toEqual(outcome)
    expect(serializeOutcome(session, [])).toEqual(outcome)
  })

  it("a run that isn't over counts as failed, in a response that matches the contract", () => {
    const outcome = serializeOutcome({ ...session, status: 'PROGRESS', stopped_at: null }, [])
    expect(outcome).toEqual({ checkId, hasFailures: true, message: expect.stringContaining('30 seconds') })
    expect(TriggeredCheckGroup.safeParse({ hasFailures: true, results: [outcome] }).success).toBe(true)
  })
})

import { failureKinds, failurePhases, type RunDetail } from '@vedette/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyze } from './analyze.ts'
import { evidence, run } from './evidence.fixture.ts'
import { httpDetail } from './run-details.fixture.ts'

const failure = fc.record(
  {
    kind: fc.constantFrom(...failureKinds),
    phase: fc.constantFrom(...failurePhases),
    message: fc.string(),
    code: fc.string(),
    address: fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
  },
  { requiredKeys: ['kind', 'phase', 'message'] },
)

/** The detail of an agent, with arbitrary values in some fields. */
const detail = fc
  .tuple(
    failure,
    fc.dictionary(fc.constantFrom('request', 'response', 'tried', 'tls', 'ip', 'breakdown'), fc.jsonValue()),
    fc.jsonValue(),
    fc.jsonValue(),
  )
  .map(([cause, broken, diagnostics, jobLog]) => {
    const whole = httpDetail({ failure: { ...cause, phase: 'judge' } })
    const observed = { ...(whole.observed as object), ...broken }
    return { ...whole, failure: cause, observed, diagnostics, jobLog } as unknown as RunDetail
  })

describe('an analysis of arbitrary stored values', () => {
  it('succeeds, and cites only existing evidence', () => {
    fc.assert(
      fc.property(detail, fc.array(detail, { maxLength: 3 }), fc.jsonValue(), (failing, others, garbage) => {
        const runs = [...others, garbage as unknown as RunDetail].map((one, index) =>
          run(-index - 1, one, { outcome: 'passed' }),
        )
        const {
          rootCause,
          userImpact,
          evidence: proofs,
        } = analyze(evidence(run(0, failing), { passing: runs, meanwhile: runs }))
        for (const text of [rootCause, userImpact]) {
          const last = [...text.matchAll(/\[(\d+(?:, \d+)*)\]/g)].at(-1)?.[1]?.split(', ') ?? []
          expect(last.length).toBeGreaterThan(0)
          for (const number of last) expect(proofs[Number(number) - 1]).toBeDefined()
        }
      }),
      { numRuns: 500 },
    )
  })
})

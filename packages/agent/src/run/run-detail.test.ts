import { describe, expect, it } from 'vitest'
import { detailText } from './run-detail.ts'

const failure = { kind: 'assertion', message: 'no', phase: 'judge' } as const
const limits = { chars: 5_000, bodyBytes: 1_000 }

describe('the text of a detail', () => {
  it('is the detail, where it fits', () => {
    const detail = {
      failure,
      assertions: [{ order: 0 }],
      observed: { response: { body: 'x', truncated: false } },
    }
    expect(JSON.parse(detailText(detail, true, limits))).toEqual(detail)
  })

  it('has a body cut to its limit, without half a character', () => {
    const observed = { response: { body: '😀'.repeat(500), truncated: false } }
    const { observed: kept } = JSON.parse(
      detailText({ failure: null, assertions: [], observed }, false, limits),
    )
    expect(kept.response).toEqual({ body: '😀'.repeat(250), truncated: true })
  })

  it.each([
    ['a long text', { text: 'x'.repeat(100_000) }],
    ['many texts', { texts: new Array(50).fill('"'.repeat(300)) }],
    ['escapes that grow', { text: '\u0000'.repeat(4_000) }],
    ['nothing to cut', { numbers: new Array(5_000).fill(123_456) }],
  ])('stays within its length: %s', (_name, observed) => {
    const text = detailText({ failure, assertions: [], observed }, false, limits)
    expect(text.length).toBeLessThanOrEqual(limits.chars)
    expect(JSON.parse(text).failure).toEqual(failure)
  })
})

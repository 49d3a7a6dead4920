import { describe, expect, it } from 'vitest'
import { judgeResponse } from './judge-response.ts'

function judge(status: number, headers: Record<string, string> = {}, body = '') {
  return judgeResponse({ status, headers, body })
}

describe('a response', () => {
  it.each([200, 201, 202, 204, 299])('%d is a success', (status) => {
    expect(judge(status)).toBeNull()
  })

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('%d is transient', (status) => {
    expect(judge(status)).toMatchObject({ permanent: false, retryAfterMs: null, rateLimited: status === 429 })
  })

  it.each([101, 301, 302, 304, 307, 400, 401, 403, 404, 405, 410, 413, 422])('%d is a refusal', (status) => {
    expect(judge(status)).toMatchObject({ permanent: true, retryAfterMs: null })
  })

  it('is quoted in the message', () => {
    expect(judge(400, {}, ' no such\n channel ')?.message).toBe(
      'The channel responded with status 400 (no such channel).',
    )
    expect(judge(502)?.message).toBe('The channel responded with status 502.')
    expect(judge(302, { location: '/secret' })?.message).toBe(
      "The channel responded with status 302. Redirects are not followed: enter the final address in the channel's settings.",
    )
    expect(judge(500, {}, 'x'.repeat(10_000))?.message).toHaveLength(
      'The channel responded with status 500 ().'.length + 500,
    )
  })

  const date = 'Sun, 06 Nov 2033 08:49:37 GMT'
  it.each([
    ['120', {}, 120_000],
    ['0', {}, 0],
    ['86400', {}, 3_600_000],
    ['Sun, 06 Nov 2033 08:50:37 GMT', { date }, 60_000],
    ['Sun, 06 Nov 2033 08:40:00 GMT', { date }, 0],
    ['Mon, 07 Nov 2033 08:40:00 GMT', { date }, 3_600_000],
    ['Sun, 06 Nov 2033 08:50:37 GMT', {}, null],
    ['soon', { date }, null],
    ['-5', { date }, null],
    ['', { date }, null],
  ])('requests a pause: %s', (value, headers, retryAfterMs) => {
    expect(judge(429, { 'retry-after': value, ...headers })).toMatchObject({ retryAfterMs })
    expect(judge(503, { 'retry-after': value, ...headers })).toMatchObject({ retryAfterMs })
    expect(judge(500, { 'retry-after': value, ...headers })).toMatchObject({ retryAfterMs: null })
  })
})

import { describe, expect, it } from 'vitest'
import { exampleMessage, minimalMessage } from './message.fixture.ts'
import { alertTitle, durationInWords, instantInWords, reasonOf } from './wording.ts'

describe('a title', () => {
  const ssl = (daysRemaining: number) => ({
    kind: 'ssl' as const,
    ssl: { daysRemaining, domain: 'example.com' },
  })
  it.each([
    [{}, 'Check "Shop" has failed'],
    [{ alertType: 'ALERT_FAILURE_REMAIN' }, 'Check "Shop" has failed'],
    [{ alertType: 'ALERT_DEGRADED_FAILURE' }, 'Check "Shop" has failed'],
    [{ kind: 'degraded' as const, alertType: 'ALERT_DEGRADED' }, 'Check "Shop" is degraded'],
    [
      { kind: 'degraded' as const, alertType: 'ALERT_FAILURE_DEGRADED' },
      'Check "Shop" no longer fails, but is degraded',
    ],
    [{ kind: 'recovery' as const, alertType: 'ALERT_RECOVERY' }, 'Check "Shop" has recovered'],
    [ssl(12), 'The SSL certificate for example.com will expire in 12 days'],
    [ssl(1), 'The SSL certificate for example.com will expire in 1 day'],
    [ssl(0), 'The SSL certificate for example.com will expire today'],
    [ssl(-3), 'The SSL certificate for example.com expired 3 days ago'],
    [{ isReminder: true }, 'Reminder: check "Shop" is still failing'],
    [{ isReminder: true, kind: 'degraded' as const }, 'Reminder: check "Shop" is still degraded'],
    [{ isTest: true }, '[Test] Check "Shop" has failed'],
    [{ ...ssl(2), isTest: true }, '[Test] The SSL certificate for example.com will expire in 2 days'],
    [{ checkName: 'a\r\n\tb' }, 'Check "a b" has failed'],
  ])('of %j is %s', (over, title) => {
    expect(alertTitle(exampleMessage(over))).toBe(title)
  })
})

describe('a reason', () => {
  it.each([
    [{}, 'It has been failing from Ireland for 12 minutes: expected 200, got 503'],
    [{ error: 'first\nsecond', episodeAt: null }, 'It fails from Ireland: first'],
    [
      { error: null },
      'It has been failing from Ireland for 12 minutes: The response was 503 Service Unavailable.',
    ],
    [
      { error: ' ', statusCode: null },
      'It has been failing from Ireland for 12 minutes: The response took 321 ms.',
    ],
    [
      { kind: 'degraded' as const, error: null, statusCode: null, responseTimeMs: 12_340 },
      'It has been degraded from Ireland for 12 minutes: The response took 12.3 s.',
    ],
    [{ kind: 'recovery' as const }, 'It passes again from Ireland, after 12 minutes.'],
    [{ kind: 'recovery' as const, runLocation: '', episodeAt: null }, 'It passes again.'],
  ])('of %j is one line', (over, reason) => {
    expect(reasonOf(exampleMessage(over))).toBe(reason)
  })

  it.each([
    [-898, /^Browsers warn visitors.* Install a new certificate now\.$/],
    [0, /^Renew it today\./],
    [12, /^Renew it before it expires\./],
  ])('of a certificate with %d days fits', (daysRemaining, reason) => {
    const ssl = { daysRemaining, domain: 'example.com' }
    expect(reasonOf(exampleMessage({ kind: 'ssl', ssl }))).toMatch(reason)
  })

  it('has a fallback for a minimal message', () => {
    expect(reasonOf(minimalMessage)).toBe('It fails from Ireland: See the check for details.')
  })
})

describe('words', () => {
  it.each([
    [0, 'less than a minute'],
    [59_999, 'less than a minute'],
    [60_000, '1 minute'],
    [3_600_000, '1 hour'],
    [3_900_000, '1 hour 5 minutes'],
    [86_400_000 * 2 + 3_600_000 * 3 + 60_000, '2 days 3 hours'],
    [86_400_000 + 60_000, '1 day'],
  ])('%d ms last %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words)
  })

  it('include an instant', () => {
    expect(instantInWords('2026-01-31T09:05:00.123Z')).toBe('2026-01-31 09:05:00 UTC')
  })
})

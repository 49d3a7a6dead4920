import { describe, expect, it } from 'vitest'
import {
  alertingInWords,
  assertionsInWords,
  requestInWords,
  retriesInWords,
  thresholdsInWords,
} from './summaries.ts'

describe('sections in a sentence', () => {
  it('requests', () => {
    const request = { method: 'GET', url: 'https://a.example', headers: [{ key: 'accept', value: '*/*' }] }
    expect(requestInWords('API', { request })).toBe('GET https://a.example, 1 header')
    expect(requestInWords('TCP', { request: { hostname: 'a.example', port: 25 } })).toBe('a.example:25')
    expect(requestInWords('BROWSER', { script: 'a\nb\n' })).toBe('2 lines')
  })

  it('assertions', () => {
    const assertion = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }
    expect(assertionsInWords([])).toBe('None')
    expect(assertionsInWords([assertion, assertion, assertion])).toBe('Status 200 · status 200 · and 1 more')
  })

  it('retries and thresholds', () => {
    expect(retriesInWords({ retryStrategy: null, doubleCheck: true })).toBe('Once, from another location')
    const retryStrategy = { type: 'LINEAR', baseBackoffSeconds: 10, maxRetries: 3 }
    expect(retriesInWords({ retryStrategy })).toBe('Up to 3 times, pauses longer each time, from 10 s')
    expect(thresholdsInWords({ degradedResponseTime: null, maxResponseTime: 5000 })).toBe('Failing above 5 s')
  })

  it('alerting', () => {
    const subscribed = [{ alertChannelId: 1, activated: true }]
    expect(
      alertingInWords({ alertChannelSubscriptions: subscribed, useGlobalAlertSettings: true, muted: true }),
    ).toBe('1 channel, settings of the account, muted')
    expect(alertingInWords({ useGlobalAlertSettings: true })).toBe('All channels, settings of the account')
  })
})

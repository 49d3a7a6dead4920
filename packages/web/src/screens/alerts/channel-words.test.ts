import { expect, it } from 'vitest'
import { sendsInWords } from './channel-words.ts'

const none = {
  ...{
    sendFailure: false,
    sendDegraded: false,
    sendRecovery: false,
    sslExpiry: false,
    sslExpiryThreshold: 14,
  },
}

it.each([
  [none, 'Nothing: all kinds are turned off'],
  [{ ...none, sendFailure: true, sendRecovery: true }, 'Failures and recoveries'],
  [
    { ...none, sendFailure: true, sendDegraded: true, sendRecovery: true, sslExpiry: true },
    'Failures, degraded checks and recoveries; certificates 14 days before they expire',
  ],
])('%j in words', (channel, words) => expect(sendsInWords(channel)).toBe(words))

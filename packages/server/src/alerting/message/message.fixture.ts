// Example messages: every alert type, reminders, tests, minimal ones, and hostile texts.
import { alertTypes } from '@vedette/contracts'
import type { AlertMessage } from './message.ts'
import { type TestedAlertType, testMessage } from './test-message.ts'
import { alertTitle } from './wording.ts'

export function exampleMessage(over: Partial<AlertMessage> = {}): AlertMessage {
  const message: AlertMessage = {
    id: '11111111-1111-4111-8111-111111111111',
    dedupKey: 'vedette-check-1-1767225600000',
    kind: 'failure',
    isTest: false,
    alertType: 'ALERT_FAILURE',
    title: '',
    accountId: '22222222-2222-4222-8222-222222222222',
    accountName: 'Acme',
    checkId: '33333333-3333-4333-8333-333333333333',
    checkName: 'Shop',
    checkType: 'API',
    checkDescription: 'The front page',
    groupName: 'Web',
    tags: ['prod', 'team:web'],
    error: 'expected 200, got 503',
    runLocation: 'Ireland',
    region: 'eu-west-1',
    locationText: over.runLocation ?? 'Ireland',
    ranAt: null,
    responseTimeMs: 321,
    statusCode: 503,
    statusText: 'Service Unavailable',
    resultId: '44444444-4444-4444-8444-444444444444',
    resultLink: 'https://vedette.test/checks/1/results/2?a=1&b=2',
    startedAt: '2026-01-01T00:12:00.000Z',
    episodeAt: '2026-01-01T00:00:00.000Z',
    isReminder: false,
    reminderSequence: 0,
    ssl: null,
    analysis: null,
    ...over,
  }
  return { ...message, title: over.title ?? alertTitle(message) }
}

const nasty = `"'\`</td><script>alert(1)</script>&amp; {{ALERT_TITLE}} \\u0000 \r\nBcc: x@example.com\r\n\u0000\u0007 💥 <!channel> @everyone ]]> \ud800`

/** Hostile text in every field that users or targets control. */
export const hostileMessage = exampleMessage({
  checkName: `Shop ${nasty}`,
  checkDescription: nasty,
  groupName: nasty,
  accountName: nasty,
  tags: [nasty, 'a,b', '&=?#'],
  error: `${nasty}\n${'<&"\'>x💥'.repeat(1300)}`,
  runLocation: nasty,
  statusText: nasty,
  analysis: {
    classification: nasty,
    rootCause: nasty,
    userImpact: nasty,
    codeFix: nasty,
    link: 'https://vedette.test/a',
  },
})

export const minimalMessage = exampleMessage({
  checkDescription: null,
  groupName: null,
  tags: [],
  error: null,
  responseTimeMs: null,
  statusCode: null,
  statusText: null,
  resultId: null,
  episodeAt: null,
})

const sentTypes: TestedAlertType[] = alertTypes.filter((type) => type !== 'NO_ALERT')

/** By name. The test message of a type provides its kind and facts. */
export function everyMessage(): [string, AlertMessage][] {
  const testOf = (alertType: TestedAlertType) =>
    testMessage({
      id: '55555555-5555-4555-8555-555555555555',
      channelId: 7,
      alertType,
      account: { id: '22222222-2222-4222-8222-222222222222', name: 'Acme' },
      linkTo: (kind) => `https://vedette.test/r/${kind}`,
      now: Date.UTC(2026, 0, 1, 0, 12),
    })
  return [
    ...sentTypes.flatMap((type): [string, AlertMessage][] => {
      const { kind, ssl } = testOf(type)
      const real = exampleMessage({ kind, ssl, alertType: type })
      return [
        [type, real],
        [`${type} as a test`, testOf(type)],
        [
          `${type} with hostile texts`,
          exampleMessage({ ...hostileMessage, kind, ssl, alertType: type, title: undefined }),
        ],
      ]
    }),
    ['a reminder', exampleMessage({ isReminder: true, reminderSequence: 1 })],
    [
      'a reminder of something degraded',
      exampleMessage({ isReminder: true, kind: 'degraded', alertType: 'ALERT_DEGRADED' }),
    ],
    ['a minimal message', minimalMessage],
    ['a name of 10 kB', exampleMessage({ checkName: 'x'.repeat(10_000), error: 'y'.repeat(10_000) })],
  ] as [string, AlertMessage][]
}

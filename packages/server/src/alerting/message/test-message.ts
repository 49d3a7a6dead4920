// The message that tests a channel, without a check behind it.
import type { AlertType } from '@vedette/contracts'
import { locationName } from '../../core/location-text.ts'
import type { LinkTo } from '../../links/signed-link.ts'
import type { AlertKind, AlertMessage } from './message.ts'
import { alertTitle } from './wording.ts'

export type TestedAlertType = Exclude<AlertType, 'NO_ALERT'>

export interface TestMessageFacts {
  id: string
  channelId: number
  alertType: TestedAlertType
  account: { id: string; name: string }
  linkTo: LinkTo
  now: number
}

const kinds = {
  ALERT_FAILURE: 'failure',
  ALERT_FAILURE_REMAIN: 'failure',
  ALERT_DEGRADED_FAILURE: 'failure',
  ALERT_DEGRADED: 'degraded',
  ALERT_DEGRADED_REMAIN: 'degraded',
  ALERT_FAILURE_DEGRADED: 'degraded',
  ALERT_RECOVERY: 'recovery',
  ALERT_DEGRADED_RECOVERY: 'recovery',
  ALERT_SSL: 'ssl',
} as const satisfies Record<TestedAlertType, AlertKind>

const checkId = '00000000-0000-4000-8000-000000000000'
const episodeMs = 12 * 60_000

export function testMessage({
  id,
  channelId,
  alertType,
  account,
  linkTo,
  now,
}: TestMessageFacts): AlertMessage {
  const kind = kinds[alertType]
  const isFailure = kind === 'failure'
  const head = { kind, alertType, isTest: true, isReminder: false, checkName: 'Example check' }
  const ssl = kind === 'ssl' ? { daysRemaining: 14, domain: 'example.com' } : null
  return {
    ...head,
    id,
    // The same for all tests of a channel, so that a test recovery resolves a test failure.
    dedupKey: `vedette-test-${channelId}`,
    title: alertTitle({ ...head, ssl }),
    accountId: account.id,
    accountName: account.name,
    checkId,
    checkType: 'API',
    checkDescription: 'Not a real check: it shows what alerts look like.',
    groupName: 'Example group',
    tags: ['example', 'team:web'],
    error: isFailure ? 'Expected the status code to equal 200, but it was 503.' : null,
    runLocation: locationName('eu-west-1'),
    locationText: locationName('eu-west-1'),
    ranAt: null,
    region: 'eu-west-1',
    responseTimeMs: kind === 'ssl' ? null : kind === 'degraded' ? 4200 : 320,
    statusCode: kind === 'ssl' ? null : isFailure ? 503 : 200,
    statusText: kind === 'ssl' ? null : isFailure ? 'Service Unavailable' : 'OK',
    resultId: null,
    resultLink: linkTo('testAlert'),
    startedAt: new Date(now).toISOString(),
    episodeAt: kind === 'ssl' ? null : new Date(kind === 'recovery' ? now - episodeMs : now).toISOString(),
    reminderSequence: 0,
    ssl,
    analysis: null,
  }
}

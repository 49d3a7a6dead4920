// The impact: what users of the target experience, and in which locations.
import { type FailureKind, isCodeType } from '@vedette/contracts'
import type { Evidence, EvidenceRun } from './evidence.ts'
import { expectationOf } from './expectation.ts'
import {
  artifacts,
  duration,
  formatList,
  locationOf,
  type Proof,
  proof,
  quote,
  runProof,
  type Statement,
  statement,
  statusProof,
} from './finding.ts'
import { locationPattern } from './location-pattern.ts'
import { isAboutStatus } from './rules/status.ts'
import { isAboutTime } from './rules/timings.ts'
import { runCounts } from './run-counts.ts'
import { agreement } from './serving-agents.ts'

export function impactOf(evidence: Evidence): Statement[] {
  return [userImpact(evidence), ...affectedLocations(evidence), ...runCounts(evidence)]
}

function userImpact({ failing, checkType }: Evidence): Statement {
  const kind = failing.failure?.kind ?? 'internal'
  const failureProof = runProof(
    failing,
    artifacts.failure,
    quote(failing.failure?.message ?? 'The run failed.'),
  )
  if (isCodeType(checkType) && (kind === 'assertion' || kind === 'script' || kind === 'timeout'))
    return statement(journeyImpact(failing.failure?.message ?? ''), failureProof)
  if (isAboutStatus(failing) && failing.statusCode !== null)
    return statement(
      `Users get status ${failing.statusCode} instead of what they asked for.`,
      statusProof(failing),
    )
  if (isAboutTime(failing) && failing.responseTimeMs !== null)
    return statement(
      `Users wait ${duration(failing.responseTimeMs)} for a response.`,
      runProof(failing, artifacts.timings, `${duration(failing.responseTimeMs)} in total`),
    )
  return statement((impacts[kind] ?? unmonitored)(failing), failureProof)
}

const impacts: Record<FailureKind, (failing: EvidenceRun) => string> = {
  dns: () => "Users can't reach the target: its name doesn't lead to a working address.",
  connect: () => "Users can't connect to the target.",
  timeout: ({ facts }) =>
    facts?.failure?.phase === 'connect'
      ? "Users can't connect to the target: their attempts time out."
      : "Users wait for a response that doesn't come in time.",
  tls: ({ facts }) =>
    facts?.tls?.certificate
      ? 'Browsers show a certificate warning instead of the page, and other clients refuse the connection.'
      : "Users can't open a secure connection to the target.",
  protocol: () => "Users get a response that their browsers and clients can't read.",
  body: () => "Users get a response whose content can't be read.",
  packet_loss: ({ facts }) =>
    (facts?.ping?.packetLoss ?? 100) >= 100
      ? "Users can't reach the target: it responds to no ping."
      : 'Users have slow or broken connections: packets get lost on the way to the target.',
  redirect: () => "Users are redirected to where their browsers can't follow.",
  missed_ping: () => "The job behind the heartbeat didn't run, or didn't finish, in time.",
  status: () => 'Users get an error status instead of what they asked for.',
  response_time: () => 'Users wait too long for a response.',
  assertion: ({ facts }) => {
    const failed = facts?.assertions.find(({ error }) => error !== undefined)
    const about = [failed?.source, failed?.property].filter(Boolean).join(' ')
    return about === ''
      ? "Users get a response, but it isn't what the check expects."
      : `Users get a response, but ${about} isn't what the check expects.`
  },
  script: unmonitored,
  blocked: unmonitored,
  internal: unmonitored,
}

function unmonitored(): string {
  return "The impact on users is unknown: the target wasn't requested, so it isn't monitored until this is fixed."
}

/** Code checks act like users. */
function journeyImpact(message: string): string {
  const expectation = expectationOf(message)
  if (expectation?.isMissing)
    return `Users who follow the check's steps don't see ${quote(expectation.subject)}.`
  if (expectation?.expected && expectation.received)
    return `Users who follow the check's steps get ${quote(expectation.received)} where ${quote(expectation.expected)} is expected.`
  return "Users who follow the check's steps can't complete them."
}

function affectedLocations(evidence: Evidence): Statement[] {
  const { pattern, here, elsewhere, failedLocations, passedLocations } = locationPattern(evidence)
  const counted = [...here, ...elsewhere]
  const failed = counted.filter(({ outcome }) => outcome === 'failed')
  const shown: Proof = proof(
    artifacts.locations,
    `since ${new Date(evidence.beganAt).toISOString()} ${failed.length} of ${counted.length} final results failed, in ${formatList(failedLocations)}`,
  )
  if (pattern === 'all')
    return [
      statement(`All locations are affected: ${formatList(failedLocations)}.`, shown),
      ...agreement(failed),
    ]
  if (pattern === 'one')
    return [
      statement(
        `Only ${locationOf(evidence.failing)} is affected, not ${formatList(passedLocations)}.`,
        shown,
      ),
    ]
  return []
}

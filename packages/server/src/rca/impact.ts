// Who notices it: how the target behaves towards its users, and where.
import type { FailureKind } from '@vedette/contracts'
import type { Evidence } from './evidence.ts'
import {
  artifacts,
  listed,
  ms,
  type Proof,
  proof,
  quoted,
  type Statement,
  shows,
  showsStatus,
  statement,
} from './finding.ts'
import { locationPattern } from './location-pattern.ts'

export function impactOf(evidence: Evidence): Statement[] {
  return [what(evidence), ...where(evidence)]
}

const unreachable = new Set<FailureKind>(['dns', 'connect', 'timeout', 'protocol', 'packet_loss'])

function what({ failing }: Evidence): Statement {
  const kind = failing.failure?.kind ?? 'internal'
  const said = shows(failing, artifacts.failure, quoted(failing.failure?.message ?? 'it failed'))
  if (unreachable.has(kind)) return statement('Users get no answer from the target.', said)
  if (kind === 'tls')
    return statement('Browsers and clients that verify certificates refuse to talk to the target.', said)
  if (kind === 'status' && failing.statusCode !== null)
    return statement(
      `Users get status ${failing.statusCode} in place of what they asked for.`,
      showsStatus(failing),
    )
  if (kind === 'response_time' && failing.responseTimeMs !== null)
    return statement(
      `Users wait ${ms(failing.responseTimeMs)} for an answer.`,
      shows(failing, artifacts.timings, `${ms(failing.responseTimeMs)} in all`),
    )
  if (kind === 'script' || kind === 'blocked')
    return statement(
      'Nothing is known about users: the target was not asked, so it is not monitored for now.',
      said,
    )
  return statement('Users get an answer that is not what the check expects.', said)
}

function where(evidence: Evidence): Statement[] {
  const { pattern, here, elsewhere, failedLocations, passedLocations } = locationPattern(evidence)
  const counted = [...here, ...elsewhere]
  const failed = counted.filter(({ outcome }) => outcome === 'failed')
  const shown: Proof = proof(
    artifacts.locations,
    `since ${new Date(evidence.beganAt).toISOString()} ${failed.length} of ${counted.length} results failed, in ${listed(failedLocations)}`,
  )
  if (pattern === 'all') return [statement(`All locations are affected: ${listed(failedLocations)}.`, shown)]
  if (pattern === 'one')
    return [
      statement(`Only ${evidence.failing.location} is affected, not ${listed(passedLocations)}.`, shown),
    ]
  if (failed.length > 0 && failed.length < counted.length)
    return [
      statement(
        `It comes and goes: ${failed.length} of ${counted.length} runs failed since it began.`,
        shown,
      ),
    ]
  return []
}

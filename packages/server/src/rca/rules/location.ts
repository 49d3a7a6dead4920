// The check fails in one location only, or its agent isn't allowed to connect.
import type { Evidence, EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  formatList,
  locationOf,
  proof,
  quote,
  type Rule,
  runProof,
  statement,
  statusProof,
} from '../finding.ts'
import { locationPattern, sameTimeMs } from '../location-pattern.ts'
import { agentsProof, servingAgents } from '../serving-agents.ts'

export const locationRule: Rule = (evidence): Finding | null => refusedByAgent(evidence) ?? onlyHere(evidence)

function refusedByAgent({ failing }: Evidence): Finding | null {
  const failure = failing.facts?.failure
  if (failure?.kind !== 'blocked') return null
  const isNetwork = failure.phase !== 'setup'
  return {
    strength: 96,
    classification: 'CONFIGURATION_ERROR',
    statements: [
      statement(
        `The agent that serves ${locationOf(failing)} isn't allowed to run this: ${quote(failure.message)}.`,
        runProof(failing, isNetwork ? artifacts.connection : artifacts.failure, quote(failure.message)),
      ),
    ],
    codeFix: isNetwork
      ? "Run the check in a private location, or allow the network in that agent's settings."
      : 'Run the agent on a host where it can isolate scripts, or run the check in another location.',
    explainedBy: ['settings'],
  }
}

const refusalStatuses = new Set([401, 403, 406, 429, 451])

function onlyHere(evidence: Evidence): Finding | null {
  const { failing } = evidence
  const { pattern, here, elsewhere } = locationPattern(evidence)
  if (pattern !== 'one') return null
  const status = failing.statusCode
  const isRefused = status !== null && refusalStatuses.has(status)
  const locations = [...new Set(elsewhere.map(locationOf))]
  const location = locationOf(failing)
  const how = isRefused
    ? `the target refuses its requests with status ${status}, as a firewall, a geographic rule or a rate limit does`
    : `the check fails there with ${quote(failing.failure?.message ?? '')}`
  const isSameAgent = servingAgents([...here, ...elsewhere]) === 'same'
  return {
    // One agent has one network, so a difference between its locations isn't caused by the network.
    strength: isSameAgent && !isRefused ? 40 : strengthOf(evidence, here, elsewhere),
    classification: isRefused ? 'CONFIGURATION_ERROR' : 'NETWORK_ERROR',
    statements: [
      statement(
        `Only the location ${location} is affected: ${how}, while the same check passes in ${formatList(locations)} at the same time.`,
        proof(
          artifacts.locations,
          `${here.length} of ${here.length} results in ${location} failed: ${ids(here)}`,
        ),
        proof(
          artifacts.locations,
          `all ${elsewhere.length} results in ${formatList(locations)} passed: ${ids(elsewhere)}`,
        ),
        isRefused
          ? statusProof(failing)
          : runProof(failing, artifacts.failure, quote(failing.failure?.message ?? '')),
      ),
      ...(isSameAgent
        ? [
            statement(
              "The same agent serves these locations, so the difference isn't in the network: compare what the check sends for each.",
              agentsProof([...here, ...elsewhere]),
            ),
          ]
        : []),
    ],
    codeFix: isSameAgent
      ? `Compare the requests of the results in ${location} and elsewhere: headers, variables and scripts that depend on the location.`
      : isRefused
        ? `Let the addresses of the location ${location} through at the target's firewall, rate limit or geographic rule.`
        : `Check the network path from ${location} to the target: firewall rules for its addresses, routing, and the location's own network.`,
    explainedBy: ['deployment'],
  }
}

/** A check that passes elsewhere some minutes later may also pass here by then. */
function strengthOf({ failing }: Evidence, here: EvidenceRun[], elsewhere: EvidenceRun[]): number {
  const lastFailure = Math.max(failing.at, ...here.map(({ at }) => at))
  const isDuring = ({ at }: EvidenceRun) => at >= failing.at - sameTimeMs && at <= lastFailure + sameTimeMs
  if (!elsewhere.some((run) => isDuring(run) || (here.length > 1 && run.at < failing.at))) return 45
  return here.length > 1 ? 86 : 82
}

function ids(runs: readonly EvidenceRun[]): string {
  return formatList(runs.map(({ id }) => id))
}

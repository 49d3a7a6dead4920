// Checks of other hosts fail in the same location at the same time.
import { type EvidenceRun, neighborsOn } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  formatList,
  locationOf,
  proof,
  quote,
  type Rule,
  statement,
} from '../finding.ts'

const networkFailures = new Set(['dns', 'connect', 'timeout', 'tls', 'packet_loss'])

export const neighborsRule: Rule = (evidence): Finding | null => {
  const { failing } = evidence
  if (failing.failure === null || !networkFailures.has(failing.failure.kind) || hasTargetResponded(failing))
    return null
  const { failed, passed } = neighborsOn(evidence, 'location')
  const alike = failed.filter(({ failureKind }) => networkFailures.has(failureKind ?? ''))
  const hosts = new Set(alike.map(({ host }) => host))
  // Two unrelated hosts may be down at once, but not most of them.
  if (alike.length < 3 || hosts.size < 2 || passed.length * 4 > alike.length) return null
  const named = alike.map(({ checkName, resultId }) => `${quote(checkName)} (result ${resultId})`)
  return {
    strength: 93,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `The location ${locationOf(failing)} itself has lost its network: ${alike.length} of ${alike.length + passed.length} other checks there, which monitor ${hosts.size} hosts, fail to connect at the same time.`,
        proof(
          artifacts.neighbors,
          `failing in ${locationOf(failing)} at the same time: ${formatList(named)}`,
        ),
      ),
    ],
    codeFix: `Check the network and the resolver of the machine that runs the agent of ${locationOf(failing)}.`,
    explainedBy: [],
  }
}

/** A refusal or a certificate comes from the target, so the network works. */
function hasTargetResponded({ facts }: EvidenceRun): boolean {
  const code = facts?.failure?.code
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || (facts?.tls?.certificate ?? null) !== null
}

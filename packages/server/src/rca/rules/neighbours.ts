// Other checks fail at the same time: in this location whatever they talk to, or wherever they talk to this host.
import type { EvidenceRun } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  listed,
  locationOf,
  proof,
  quoted,
  type Rule,
  statement,
} from '../finding.ts'
import { neighboursOn } from '../neighbours.ts'

const network = new Set(['dns', 'connect', 'timeout', 'tls', 'packet_loss'])

export const neighboursRule: Rule = (evidence): Finding | null => {
  const { failing } = evidence
  if (failing.failure === null || !network.has(failing.failure.kind) || isAnswered(failing)) return null
  const { failed, passed } = neighboursOn(evidence, 'location')
  const alike = failed.filter(({ failureKind }) => network.has(failureKind ?? ''))
  const hosts = new Set(alike.map(({ host }) => host))
  // Two unrelated hosts may well be down at once; most of them can't be.
  if (alike.length < 3 || hosts.size < 2 || passed.length * 4 > alike.length) return null
  const named = alike.map(({ checkName, resultId }) => `${quoted(checkName)} (result ${resultId})`)
  return {
    strength: 93,
    classification: 'INFRASTRUCTURE_ERROR',
    statements: [
      statement(
        `The location ${locationOf(failing)} itself has lost its network: ${alike.length} of ${alike.length + passed.length} other checks there, which monitor ${hosts.size} hosts, fail to connect at the same time.`,
        proof(artifacts.neighbours, `failing in ${locationOf(failing)} at the same time: ${listed(named)}`),
      ),
    ],
    codeFix: `Check the network and the resolver of the machine that runs the agent of ${locationOf(failing)}.`,
    explainedBy: [],
  }
}

/** A refusal or a certificate came from the target, over a network that works. */
function isAnswered({ facts }: EvidenceRun): boolean {
  const code = facts?.failure?.code
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || (facts?.tls?.certificate ?? null) !== null
}

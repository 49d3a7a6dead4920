// The connection did not come about, or broke: who refused, and what else is known about the place.
import type { RootCauseClassification } from '@vedette/contracts'
import type { Evidence } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  listed,
  nameOf,
  type Proof,
  proof,
  quoted,
  type Rule,
  shows,
  statement,
} from '../finding.ts'
import { neighboursOn } from '../neighbours.ts'

interface Kind {
  classification: RootCauseClassification
  cause(place: string): string
  fix(place: string): string
}

const kinds: Record<string, Kind> = {
  ECONNREFUSED: {
    classification: 'INFRASTRUCTURE_ERROR',
    cause: (place) => `The connection to ${place} was refused: nothing accepts connections on this port.`,
    fix: (place) =>
      `Start the service that should listen at ${place}, or open the port; check whether it crashed or moved.`,
  },
  ECONNRESET: {
    classification: 'INFRASTRUCTURE_ERROR',
    cause: (place) => `The connection to ${place} was closed by the target.`,
    fix: (place) =>
      `Check the logs of the service at ${place}, and of the proxies and firewalls in front of it.`,
  },
  EHOSTUNREACH: {
    classification: 'NETWORK_ERROR',
    cause: (place) => `There is no route to ${place}.`,
    fix: () => 'Check the routing between the location and the target, and whether the machine is running.',
  },
  ENETUNREACH: {
    classification: 'NETWORK_ERROR',
    cause: (place) => `The network of ${place} cannot be reached from the location.`,
    fix: () => "Check the location's own network: it has no route for this address family.",
  },
}

export const connectionRule: Rule = (evidence): Finding | null => {
  const { failing, passing } = evidence
  const failure = failing.facts?.failure
  const isBroken =
    failure?.kind === 'connect' || (failure?.kind === 'protocol' && failure.code === 'SOCKET_CLOSED')
  if (!failure || !isBroken) return null
  const place = failure.address ?? failing.facts?.target?.host ?? 'the target'
  const kind = kinds[failure.code === 'EPIPE' ? 'ECONNRESET' : (failure.code ?? '')]
  const cause = kind?.cause(place) ?? `The connection to ${place} failed: ${quoted(failure.message)}.`
  const tried = (failing.facts?.tried ?? []).filter((one) => one.failure !== null)
  const proofs: [Proof, ...Proof[]] = [
    shows(
      failing,
      artifacts.connection,
      `${quoted(failure.message)}${failure.code ? `, ${failure.code}` : ''}`,
    ),
  ]
  if (tried.length > 1) {
    proofs.push(
      shows(
        failing,
        artifacts.connection,
        `all addresses failed: ${listed(tried.map(({ address }) => address))}`,
      ),
    )
  }
  const same = passing.find((run) => run.facts?.address && run.facts.address === failing.facts?.address)
  return {
    strength: 80,
    classification: kind?.classification ?? 'NETWORK_ERROR',
    statements: [
      statement(cause, ...proofs),
      ...(same
        ? [
            statement(
              'The same address accepted connections before.',
              proof(artifacts.connection, `${nameOf(same)}: connected to ${same.facts?.address}`),
            ),
          ]
        : []),
      ...onSameHost(evidence),
    ],
    codeFix: kind?.fix(place) ?? `Check whether ${place} is running and reachable from the location.`,
    explainedBy: ['deployment', 'settings'],
  }
}

/** Whether the machine is down, or only this port. */
function onSameHost(evidence: Evidence) {
  const { failed, passed } = neighboursOn(evidence, 'host')
  const proofOf = (runs: typeof failed) =>
    proof(
      artifacts.neighbours,
      listed(runs.map(({ checkName, resultId }) => `${quoted(checkName)} (result ${resultId})`)),
    )
  if (failed.length > 0 && passed.length === 0)
    return [statement('The other checks of this host fail at the same time.', proofOf(failed))]
  if (passed.length > 0 && failed.length === 0)
    return [
      statement(
        'Other checks of this host pass at the same time, so the machine is running.',
        proofOf(passed),
      ),
    ]
  return []
}

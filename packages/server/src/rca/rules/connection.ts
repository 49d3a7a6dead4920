// The connection failed or broke.
import type { RootCauseClassification } from '@vedette/contracts'
import { type Evidence, neighborsOn } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  formatList,
  nameOf,
  type Proof,
  proof,
  quote,
  type Rule,
  runProof,
  statement,
} from '../finding.ts'

interface Kind {
  classification: RootCauseClassification
  cause(address: string): string
  fix(address: string): string
}

const kinds: Record<string, Kind> = {
  ECONNREFUSED: {
    classification: 'INFRASTRUCTURE_ERROR',
    cause: (address) => `The connection to ${address} was refused: nothing accepts connections on this port.`,
    fix: (address) =>
      `Start the service that should listen at ${address}, or open the port; check whether it crashed or moved.`,
  },
  ECONNRESET: {
    classification: 'INFRASTRUCTURE_ERROR',
    cause: (address) => `The connection to ${address} was closed by the target.`,
    fix: (address) =>
      `Check the logs of the service at ${address}, and of the proxies and firewalls in front of it.`,
  },
  EHOSTUNREACH: {
    classification: 'NETWORK_ERROR',
    cause: (address) => `There is no route to ${address}.`,
    fix: () => 'Check the routing between the location and the target, and whether the machine is running.',
  },
  ENETUNREACH: {
    classification: 'NETWORK_ERROR',
    cause: (address) => `The network of ${address} cannot be reached from the location.`,
    fix: () => "Check the location's own network: it has no route for this address family.",
  },
}

export const connectionRule: Rule = (evidence): Finding | null => {
  const { failing, passing } = evidence
  const failure = failing.facts?.failure
  const isBroken =
    failure?.kind === 'connect' || (failure?.kind === 'protocol' && failure.code === 'SOCKET_CLOSED')
  if (!failure || !isBroken) return null
  const address = failure.address ?? failing.facts?.target?.host ?? 'the target'
  const kind = kinds[failure.code === 'EPIPE' ? 'ECONNRESET' : (failure.code ?? '')]
  const cause = kind?.cause(address) ?? `The connection to ${address} failed: ${quote(failure.message)}.`
  const tried = (failing.facts?.tried ?? []).filter((one) => one.failure !== null)
  const proofs: [Proof, ...Proof[]] = [
    runProof(
      failing,
      artifacts.connection,
      `${quote(failure.message)}${failure.code ? `, ${failure.code}` : ''}`,
    ),
  ]
  if (tried.length > 1) {
    proofs.push(
      runProof(
        failing,
        artifacts.connection,
        `all addresses failed: ${formatList(tried.map(({ address }) => address))}`,
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
    codeFix: kind?.fix(address) ?? `Check whether ${address} is running and reachable from the location.`,
    explainedBy: ['deployment', 'settings'],
  }
}

/** Whether the whole machine is down, or only this port. */
function onSameHost(evidence: Evidence) {
  const { failed, passed } = neighborsOn(evidence, 'host')
  const listProof = (runs: typeof failed) =>
    proof(
      artifacts.neighbors,
      formatList(runs.map(({ checkName, resultId }) => `${quote(checkName)} (result ${resultId})`)),
    )
  if (failed.length > 0 && passed.length === 0)
    return [statement('The other checks of this host fail at the same time.', listProof(failed))]
  if (passed.length > 0 && failed.length === 0)
    return [
      statement(
        'Other checks of this host pass at the same time, so the machine is running.',
        listProof(passed),
      ),
    ]
  return []
}

// The run timed out: in which phase, and how long passing runs took.
import { type Failure, isCodeType } from '@vedette/contracts'
import { medianOf } from '../../core/median.ts'
import type { Evidence } from '../evidence.ts'
import { artifacts, type Finding, ms, proof, quote, type Rule, runProof, statement } from '../finding.ts'

const parts: Partial<Record<Failure['phase'], { text: string; fix: string }>> = {
  connect: {
    text: 'the attempts to connect got no response, because packets are dropped on the way or at the target',
    fix: 'Check the firewalls between the location and the target, and whether the machine is running.',
  },
  tls: {
    text: 'the connection was established, but the TLS handshake got no response',
    fix: "Check the server: it is overloaded, or it doesn't support TLS on this port.",
  },
  send: {
    text: 'the connection was established, but the target did not read the request',
    fix: 'Check why the server stopped reading from the connection.',
  },
  wait: {
    text: 'the connection was established and the request was sent, but no response came',
    fix: 'Check what blocked the application: a busy worker, a slow query, or a service behind it that hangs.',
  },
  receive: {
    text: 'the response began, but did not finish in time',
    fix: 'Check the size of the response and the code that produces it.',
  },
}

export const timeoutRule: Rule = (evidence): Finding | null => {
  const { failing } = evidence
  const failure = failing.facts?.failure
  if (failure?.kind !== 'timeout' || failure.phase === 'dns' || isCodeType(evidence.checkType)) return null
  const part = parts[failure.phase]
  const address = failure.address ?? failing.facts?.target?.host ?? 'the target'
  const reached = Object.entries(failing.facts?.breakdown ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${ms(value)}`],
  )
  return {
    strength: 80,
    classification: 'TIMEOUT_ERROR',
    statements: [
      statement(
        `The run timed out at ${address}: ${part?.text ?? quote(failure.message)}.`,
        runProof(failing, artifacts.connection, quote(failure.message)),
        ...(reached.length > 0
          ? [runProof(failing, artifacts.timings, `until then: ${reached.join(', ')}`)]
          : []),
      ),
      ...usualTime(evidence),
      ...routeStatements(evidence),
    ],
    codeFix: part?.fix ?? 'Check the load of the target and the network between the location and the target.',
    explainedBy: ['deployment', 'settings'],
  }
}

function usualTime({ passing }: Evidence) {
  const timed = passing.filter((run) => run.responseTimeMs !== null)
  const median = medianOf(timed.flatMap(({ responseTimeMs }) => responseTimeMs ?? []))
  if (median === null) return []
  const ids = timed.map(({ id }) => id).join(', ')
  return [
    statement(
      `Earlier passing runs took ${ms(median)}.`,
      proof(artifacts.timings, `median of ${timed.length} passing results: ${ids}`),
    ),
  ]
}

function routeStatements({ failing }: Evidence) {
  const route = failing.facts?.diagnostics?.traceroute
  if (!route || failing.facts?.failure?.phase !== 'connect') return []
  const last = route.hops.findLast(({ address }) => address !== null)
  if (route.reached)
    return [
      statement(
        "The target itself can be reached, but the port doesn't respond.",
        runProof(failing, artifacts.route, `the trace reached the target in ${route.hops.length} hops`),
      ),
    ]
  if (!last) return []
  return [
    statement(
      `The network path to the target ends after ${last.address}.`,
      runProof(failing, artifacts.route, `hop ${last.ttl}, ${last.address}, was the last to respond`),
    ),
  ]
}

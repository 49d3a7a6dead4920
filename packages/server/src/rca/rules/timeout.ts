// Time ran out: in which part of the conversation, and how long that took when the check passed.
import { type Failure, isCodeType } from '@vedette/contracts'
import type { Evidence } from '../evidence.ts'
import {
  artifacts,
  type Finding,
  medianOf,
  ms,
  proof,
  quoted,
  type Rule,
  shows,
  statement,
} from '../finding.ts'

const parts: Partial<Record<Failure['phase'], { text: string; fix: string }>> = {
  connect: {
    text: 'no answer came to the attempts to connect: packets are dropped on the way or at the target',
    fix: 'Look at firewalls between the location and the target, and whether the machine is up.',
  },
  tls: {
    text: 'the connection stood, but the TLS handshake was not answered',
    fix: 'Look at what accepts connections there: it is overloaded, or does not speak TLS on this port.',
  },
  send: {
    text: 'the connection stood, but the request was not taken',
    fix: 'Look at the server: it stopped reading.',
  },
  wait: {
    text: 'the connection stood and the request was sent, but no response came',
    fix: 'Look at what the application was doing: a blocked worker, a slow query, or a service behind it that hangs.',
  },
  receive: {
    text: 'the response began, but did not end in time',
    fix: 'Look at the size of the response and at what produces it.',
  },
}

export const timeoutRule: Rule = (evidence): Finding | null => {
  const { failing } = evidence
  const failure = failing.facts?.failure
  if (failure?.kind !== 'timeout' || failure.phase === 'dns' || isCodeType(evidence.checkType)) return null
  const part = parts[failure.phase]
  const place = failure.address ?? failing.facts?.target?.host ?? 'the target'
  const reached = Object.entries(failing.facts?.breakdown ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${ms(value)}`],
  )
  return {
    strength: 80,
    classification: 'TIMEOUT_ERROR',
    statements: [
      statement(
        `The run timed out at ${place}: ${part?.text ?? quoted(failure.message)}.`,
        shows(failing, artifacts.connection, quoted(failure.message)),
        ...(reached.length > 0
          ? [shows(failing, artifacts.timings, `until then: ${reached.join(', ')}`)]
          : []),
      ),
      ...usualTime(evidence),
      ...wayThere(evidence),
    ],
    codeFix: part?.fix ?? null,
    explainedBy: ['deployment', 'settings'],
  }
}

function usualTime({ passing }: Evidence) {
  const timed = passing.filter((run) => run.responseTimeMs !== null)
  const median = medianOf(timed.map((run) => run.responseTimeMs as number))
  if (median === null) return []
  const ids = timed.map(({ id }) => id).join(', ')
  return [
    statement(
      `Passing runs before took ${ms(median)}.`,
      proof(artifacts.timings, `median of ${timed.length} passing results: ${ids}`),
    ),
  ]
}

function wayThere({ failing }: Evidence) {
  const route = failing.facts?.diagnostics?.traceroute
  if (!route || failing.facts?.failure?.phase !== 'connect') return []
  const last = route.hops.findLast(({ address }) => address !== null)
  if (route.reached)
    return [
      statement(
        'The target itself can be reached, so the port is what does not answer.',
        shows(failing, artifacts.route, `the trace reached the target in ${route.hops.length} hops`),
      ),
    ]
  if (!last) return []
  return [
    statement(
      `The way there ends after ${last.address}.`,
      shows(failing, artifacts.route, `hop ${last.ttl}, ${last.address}, was the last to answer`),
    ),
  ]
}

// The response is slow: which phase takes longer than in passing runs.
import { medianOf } from '../../core/median.ts'
import { type Evidence, type EvidenceRun, type PhaseName, phaseNames } from '../evidence.ts'
import { artifacts, type Finding, ms, type Proof, proof, type Rule, runProof, statement } from '../finding.ts'

const phases: Record<PhaseName, { text: string; fix: string }> = {
  dns: {
    text: 'resolving the name',
    fix: "Check the name servers of the target and the location's resolver.",
  },
  tcp: {
    text: 'connecting',
    fix: 'Check the network between the location and the target, and how quickly the target accepts connections.',
  },
  firstByte: {
    text: 'waiting for the first byte of the response',
    fix: 'Check what the application does before it responds: queries, calls to other services, load and cold starts.',
  },
  download: {
    text: 'receiving the response',
    fix: 'Check the size of the response and the bandwidth to the location.',
  },
}

export const timingsRule: Rule = (evidence): Finding | null => {
  const { failing } = evidence
  if (!isAboutTime(failing)) return null
  const total = failing.responseTimeMs
  const timed = evidence.passing.filter(({ responseTimeMs }) => responseTimeMs !== null)
  const usual = medianOf(timed.flatMap(({ responseTimeMs }) => responseTimeMs ?? []))
  if (total === null || usual === null) return null
  const base = proof(
    artifacts.timings,
    `median of ${timed.length} passing results (${timed.map(({ id }) => id).join(', ')}): ${ms(usual)} in total`,
  )
  return total < usual * 1.3
    ? limitChanged(evidence, total, usual, base)
    : slowPhase(evidence, total, usual, base)
}

export function isAboutTime({ failure, facts }: EvidenceRun): boolean {
  if (failure?.kind === 'response_time') return true
  const failed = facts?.assertions.find(({ error }) => error !== undefined)
  return failure?.kind === 'assertion' && (failed?.source === 'RESPONSE_TIME' || failed?.source === 'LATENCY')
}

function slowPhase({ failing, passing }: Evidence, total: number, usual: number, base: Proof): Finding {
  const grown = phaseNames.map((name) => {
    const before = medianOf(passing.flatMap((run) => run.phases[name] ?? []))
    return {
      name,
      before: before ?? 0,
      now: failing.phases[name] ?? 0,
      more: (failing.phases[name] ?? 0) - (before ?? 0),
    }
  })
  const most = grown.reduce((a, b) => (b.more > a.more ? b : a))
  const isOne = most.more > (total - usual) * 0.6
  const whole = statement(
    `The response took ${ms(total)} instead of ${ms(usual)}.`,
    runProof(failing, artifacts.timings, `${ms(total)} in total`),
    base,
  )
  if (!isOne) {
    const codeFix =
      'No single phase of the request explains it. Check the load of the target and of the network.'
    return {
      strength: 60,
      classification: 'PERFORMANCE_ERROR',
      statements: [whole],
      codeFix,
      explainedBy: ['deployment'],
    }
  }
  const { text, fix } = phases[most.name]
  return {
    strength: 85,
    classification: 'PERFORMANCE_ERROR',
    statements: [
      statement(
        `The slow phase is ${text}: it took ${ms(most.now)} instead of ${ms(most.before)}.`,
        runProof(failing, artifacts.timings, grown.map(({ name, now }) => `${name} ${ms(now)}`).join(', ')),
        proof(
          artifacts.timings,
          `median of the passing results: ${grown.map(({ name, before }) => `${name} ${ms(before)}`).join(', ')}`,
        ),
      ),
      whole,
      ...handshakeShare(failing, most.name),
    ],
    codeFix: fix,
    explainedBy: ['deployment'],
  }
}

/** The wire counts the TLS handshake as part of the wait for the first byte. */
function handshakeShare(failing: EvidenceRun, slow: PhaseName) {
  const { tls, wait } = failing.facts?.breakdown ?? {}
  if (slow !== 'firstByte' || typeof tls !== 'number' || typeof wait !== 'number' || tls < wait) return []
  return [
    statement(
      `Most of that is the TLS handshake, ${ms(tls)}.`,
      runProof(failing, artifacts.timings, `TLS handshake ${ms(tls)}, server ${ms(wait)}`),
    ),
  ]
}

function limitChanged(
  { failing, changes }: Evidence,
  total: number,
  usual: number,
  base: Proof,
): Finding | null {
  if (!changes.some(({ kind }) => kind === 'settings')) return null
  return {
    strength: 82,
    classification: 'CONFIGURATION_ERROR',
    statements: [
      statement(
        `The target is as fast as before (${ms(total)}, passing runs took ${ms(usual)}), so the limit of the check changed.`,
        runProof(failing, artifacts.timings, `${ms(total)} in total`),
        base,
      ),
    ],
    codeFix: 'Review the response time limits of the check.',
    explainedBy: ['settings'],
  }
}

// Builds evidence like load-evidence.ts, from details in the format of agents.
import type { RunDetail } from '@vedette/contracts'
import type { Evidence, EvidenceRun, Phases } from './evidence.ts'
import { httpDetail } from './run-details.fixture.ts'
import { readRunFacts } from './run-facts.ts'

export const noon = Date.UTC(2026, 10, 15, 12)
export const minute = 60_000

let made = 0

/** Minutes since noon, when the failures began. */
export function run(minutes: number, detail: RunDetail | null, over: Partial<EvidenceRun> = {}): EvidenceRun {
  const facts = readRunFacts(detail === null ? null : JSON.stringify(detail))
  const failure = facts?.failure ?? null
  const phase = (name: keyof Phases) => facts?.timingPhases[name] ?? null
  return {
    id: `result-${++made}`,
    at: noon + minutes * minute,
    location: 'eu-west-1',
    ranAt: null,
    attempt: 1,
    outcome: failure === null ? 'passed' : 'failed',
    isInGroup: failure !== null,
    failure,
    statusCode: facts?.response?.status ?? null,
    responseTimeMs: facts?.timingPhases.total ?? null,
    phases: {
      dns: phase('dns'),
      tcp: phase('tcp'),
      firstByte: phase('firstByte'),
      download: phase('download'),
    },
    facts,
    ...over,
  }
}

export function evidence(failing: EvidenceRun, over: Partial<Evidence> = {}): Evidence {
  return {
    checkName: 'Shop',
    checkType: 'API',
    failing,
    failures: [],
    passing: [run(-1, httpDetail()), run(-2, httpDetail()), run(-3, httpDetail())],
    meanwhile: [],
    since: [failing, ...(over.failures ?? []), ...(over.meanwhile ?? [])].sort((a, b) => a.at - b.at),
    neighbors: [],
    changes: [],
    beganAt: noon,
    userContext: '',
    ...over,
  }
}

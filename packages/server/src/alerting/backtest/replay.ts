// Time passes once more, for one check: runs are decided when they were complete, and between them whatever is due by the
// clock, at its moment.
import type { AlertSettings, Occurrence } from '@vedette/contracts'
import type { AlertState } from '../decision/alert-state.ts'
import { type Decision, decide, decideDue, type Silence } from '../decision/decide.ts'
import type { CompleteRun } from './backtest-runs.ts'

export interface ReplayOptions {
  settings: AlertSettings
  /** When nobody is told: in order, apart from each other. */
  silences: readonly Occurrence[]
  /** What would have been decided from then on is not. */
  until: number
}

/** One decision. */
export interface ReplayStep {
  at: number
  /** The last one that was decided. */
  run: CompleteRun
  /** Whether that run brought the decision, or the clock did. */
  isByRun: boolean
  before: AlertState | null
  decision: Decision
}

export interface Replay {
  /** In the order in which they were complete. */
  take(run: CompleteRun): void
  end(): void
}

export function startReplay(options: ReplayOptions, onStep: (step: ReplayStep) => void): Replay {
  const { settings, until } = options
  const silenceAt = readSilences(options.silences)
  let last: CompleteRun | null = null
  let state: AlertState | null = null
  let dueAt: number | null = null

  function step(at: number, run: CompleteRun, isByRun: boolean, decision: Decision): void {
    const before = state
    ;({ state, dueAt } = decision)
    onStep({ at, run, isByRun, before, decision })
  }

  function passTime(to: number): void {
    while (state !== null && last !== null && dueAt !== null && dueAt < to) {
      const now = dueAt
      step(now, last, false, decideDue(state, { settings, silence: silenceAt(now), now }))
    }
  }

  return {
    take(run) {
      const now = run.completeAt
      if (now >= until) return
      passTime(now)
      if (last !== null && run.at <= last.at) return
      last = run
      const runs = { runs: [run], isLate: false }
      step(now, run, true, decide(state, runs, { settings, silence: silenceAt(now), now }))
    },
    end: () => passTime(until),
  }
}

/** Asked in the order of time. */
function readSilences(silences: ReplayOptions['silences']): (now: number) => Silence | null {
  let index = 0
  return (now) => {
    while (index < silences.length && (silences[index]?.end ?? 0) <= now) index++
    const next = silences[index]
    return next !== undefined && next.start <= now ? 'maintenance' : null
  }
}

// Simulates time for one check: decides each run when it was complete, and between runs what falls due by the clock.
import type { AlertSettings, Occurrence } from '@vedette/contracts'
import type { AlertState } from '../decision/alert-state.ts'
import { type Decision, decide, decideDue, type Silence } from '../decision/decide.ts'
import type { CompleteRun } from './backtest-runs.ts'

export interface ReplayOptions {
  settings: AlertSettings
  /** When alerts are silenced: ordered, without overlap. */
  silences: readonly Occurrence[]
  /** Decisions from here on are left out. */
  until: number
}

export interface ReplayStep {
  at: number
  /** The latest decided run. */
  run: CompleteRun
  /** Whether that run or the clock triggered the decision. */
  isByRun: boolean
  before: AlertState | null
  decision: Decision
}

export interface Replay {
  /** Takes runs in the order in which they were complete. */
  add(run: CompleteRun): void
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
    add(run) {
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

/** The returned function must be called with ascending times. */
function readSilences(silences: ReplayOptions['silences']): (now: number) => Silence | null {
  let index = 0
  return (now) => {
    while (index < silences.length && (silences[index]?.end ?? 0) <= now) index++
    const next = silences[index]
    return next !== undefined && next.start <= now ? 'maintenance' : null
  }
}

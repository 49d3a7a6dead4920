// Random histories of a check, played like the server does: runs that aren't newer than the last decided one are dropped, and
// what falls due is decided, at once or in the next turn of the loop.
import type { AlertSettings } from '@vedette/contracts'
import fc from 'fast-check'
import type { AlertRun, AlertState } from './alert-state.ts'
import { start } from './decide.fixture.ts'
import { type DecideOptions, type Decision, decide, decideDue } from './decide.ts'

export interface Event extends DecideOptions {
  what: 'runs' | 'due'
  /** The newer runs; empty for 'due'. */
  runs: readonly AlertRun[]
  isLate: boolean
  before: AlertState | null
  decision: Decision
}

interface Delivery {
  what: 'deliver'
  shares: Pick<AlertRun, 'locations' | 'failed' | 'degraded'>[]
  /** The delay from the slot of the last run to its delivery, and the time between runs. */
  delayMs: number
  apartMs: number
  isLate: boolean
}

type Step =
  | Delivery
  | { what: 'again'; back: number }
  | { what: 'wait'; ms: number }
  | { what: 'silence'; silence: DecideOptions['silence'] }
  | { what: 'settings'; settings: AlertSettings }

interface History {
  settings: AlertSettings
  /** Whether what falls due is decided at once, or in the next turn of the loop. */
  isPrompt: boolean
  steps: Step[]
}

export const someSettings: fc.Arbitrary<AlertSettings> = fc.record({
  escalationType: fc.constantFrom('RUN_BASED' as const, 'RUN_BASED' as const, 'TIME_BASED' as const),
  runBasedEscalation: fc.record({
    failedRunThreshold: fc.constantFrom(1 as const, 1 as const, 2 as const, 3 as const, 5 as const),
  }),
  timeBasedEscalation: fc.record({ minutesFailingThreshold: fc.constantFrom(5 as const, 10 as const) }),
  reminders: fc.record({
    amount: fc.constantFrom(0 as const, 1 as const, 2 as const, 5 as const, 100_000 as const),
    interval: fc.constantFrom(1 as const, 1 as const, 2 as const, 5 as const),
  }),
  parallelRunFailureThreshold: fc.record({
    enabled: fc.constantFrom(false, false, true),
    percentage: fc.constantFrom(10 as const, 50 as const, 70 as const, 100 as const),
  }),
})

const single = fc.constantFrom(
  { locations: 1, failed: 0, degraded: 0 },
  { locations: 1, failed: 0, degraded: 1 },
  { locations: 1, failed: 1, degraded: 0 },
)
const parallel = fc
  .tuple(fc.integer({ min: 2, max: 5 }), fc.nat(5), fc.nat(5))
  .map(([locations, failed, degraded]) => ({
    locations,
    failed: Math.min(failed, locations),
    degraded: Math.min(degraded, Math.max(0, locations - failed)),
  }))
const share = fc.oneof({ weight: 3, arbitrary: single }, { weight: 1, arbitrary: parallel })

const seconds = (...of: number[]) => fc.constantFrom(...of.map((count) => count * 1000))
export const someDelivery: fc.Arbitrary<Delivery> = fc.record({
  what: fc.constant('deliver' as const),
  shares: fc.oneof(
    { weight: 3, arbitrary: fc.array(share, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(share, { minLength: 2, maxLength: 5 }) },
  ),
  delayMs: seconds(0, 1, 3, 60, 300),
  apartMs: seconds(1, 10, 60),
  isLate: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

const waiting = seconds(1, 5, 10, 15, 15, 19, 20, 30, 30, 45, 60, 60, 120, 300).map((ms) => ({
  what: 'wait' as const,
  ms,
}))
const silence = fc
  .constantFrom(null, null, 'muted' as const, 'inactive' as const, 'maintenance' as const)
  .map((value) => ({ what: 'silence' as const, silence: value }))

/** Without `isUnruly`, settings and silences don't change, and no run is delivered twice. */
export function someHistory({ isUnruly }: { isUnruly: boolean }): fc.Arbitrary<History> {
  const calm: fc.WeightedArbitrary<Step>[] = [
    { weight: 6, arbitrary: someDelivery },
    { weight: 6, arbitrary: waiting },
  ]
  const unruly: fc.WeightedArbitrary<Step>[] = [
    ...calm,
    { weight: 1, arbitrary: fc.nat(5).map((back) => ({ what: 'again' as const, back })) },
    { weight: 2, arbitrary: silence },
    { weight: 1, arbitrary: someSettings.map((settings) => ({ what: 'settings' as const, settings })) },
  ]
  return fc.record({
    settings: someSettings,
    isPrompt: fc.boolean(),
    steps: fc.array(fc.oneof(...(isUnruly ? unruly : calm)), { minLength: 1, maxLength: 60, size: 'max' }),
  })
}

export function playHistory({ settings: first, isPrompt, steps }: History): Event[] {
  const events: Event[] = []
  let settings = first
  let silence: DecideOptions['silence'] = null
  let state: AlertState | null = null
  let dueAt: number | null = null
  let now = start
  let decidedAt = Number.NEGATIVE_INFINITY
  const delivered: AlertRun[][] = []

  const apply = (what: Event['what'], runs: readonly AlertRun[], isLate: boolean, decision: Decision) => {
    events.push({ what, runs, isLate, settings, silence, now, before: state, decision })
    state = decision.state
    dueAt = decision.dueAt
  }
  const fire = () => {
    for (let turns = 0; state !== null && dueAt !== null && dueAt <= now; turns++) {
      if (turns > 10) throw new Error('it falls due again and again')
      apply('due', [], false, decideDue(state, { settings, silence, now }))
    }
  }
  const wait = (ms: number) => {
    const until = now + ms
    while (isPrompt && dueAt !== null && dueAt <= until) {
      now = Math.max(now, dueAt)
      fire()
    }
    now = until
    fire()
  }
  const deliver = (all: AlertRun[], isLate: boolean) => {
    const runs = all.filter(({ at }) => at > decidedAt)
    if (runs.length === 0) return
    decidedAt = runs.at(-1)?.at ?? decidedAt
    apply('runs', runs, isLate, decide(state, { runs, isLate }, { settings, silence, now }))
  }

  for (const step of steps) {
    if (step.what === 'wait') wait(step.ms)
    else if (step.what === 'silence') silence = step.silence
    else if (step.what === 'settings') settings = step.settings
    else if (step.what === 'again') deliver(delivered.at(-1 - step.back) ?? [], false)
    else {
      const newest = now - step.delayMs
      const last = step.shares.length - 1
      const runs = step.shares.map((one, index) => ({ ...one, at: newest - (last - index) * step.apartMs }))
      delivered.push(runs)
      deliver(runs, step.isLate)
    }
  }
  return events
}

// Invariants over random results, in order, late and repeated, under settings and silences that change.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AlertRun, type AlertState, calmState } from './alert-state.ts'
import { decide, decideDue, dueOf } from './decide.ts'
import { type Event, playHistory, someDelivery, someHistory, someSettings } from './decide-history.fixture.ts'
import { DecideModel } from './decide-model.fixture.ts'
import { countedStateOf } from './run-state.ts'

const numRuns = Number(process.env.PROPERTY_RUNS ?? 600)
const unruly = someHistory({ isUnruly: true })
const calm = someHistory({ isUnruly: false })

function always(history: typeof unruly, holds: (events: Event[]) => void): void {
  fc.assert(
    fc.property(history, (one) => holds(playHistory(one))),
    { numRuns },
  )
}

const sentOf = ({ decision: { alert } }: Event) => (alert?.heldBy === null ? alert : null)
const countedOf = ({ runs, settings }: Event) =>
  runs.map((run) => countedStateOf(run, settings.parallelRunFailureThreshold))

describe('the decision', () => {
  it('agrees with the reference implementation', () => {
    const letters = { passing: 'P', degraded: 'D', failing: 'F' }
    const seen = new Set<string | null>()
    always(unruly, (events) => {
      const model = new DecideModel()
      for (const event of events) {
        const { decision, runs, isLate } = event
        const expected = event.what === 'runs' ? model.runs(runs, isLate, event) : model.due(event)
        const { state, dueAt } = decision
        seen.add(outputOf(event))
        expect({
          output: outputOf(event),
          dueAt,
          isRemembered: state !== null,
          letter: letters[state?.state ?? 'passing'],
          streak: state?.runs ?? 0,
          since: state?.since ?? null,
          episodeAt: state === null || state.state === 'passing' ? null : state.episodeAt,
        }).toEqual(expected)
      }
    })
    // The histories must cover every outcome.
    const codes = [...seen].filter((output) => output !== null && !output.startsWith('reminder')).sort()
    expect(codes).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_FAILURE',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_DEGRADED_REMAIN',
      'ALERT_FAILURE',
      'ALERT_FAILURE_DEGRADED',
      'ALERT_FAILURE_REMAIN',
      'ALERT_RECOVERY',
      'NO_ALERT inactive',
      'NO_ALERT maintenance',
      'NO_ALERT muted',
      'NO_ALERT parallel_threshold',
      'NO_ALERT threshold',
      'NO_ALERT untold',
    ])
    expect(seen).toContain('reminder 0')
    expect(seen).toContain('reminder 3')
  })
})

function outputOf({ decision: { alert, reminder } }: Event): string | null {
  if (alert !== null) return alert.heldBy === null ? alert.type : `NO_ALERT ${alert.heldBy}`
  return reminder === null ? null : `reminder ${reminder}`
}

describe('alerts', () => {
  it('of failures have a run between them that does not fail', () => {
    always(unruly, (events) => {
      let isFree = true
      for (const event of events) {
        if (countedOf(event).some((state) => state !== 'failing')) isFree = true
        if (sentOf(event)?.kind !== 'failure') continue
        expect(isFree).toBe(true)
        isFree = false
      }
    })
  })

  it('of a recovery are sent once, and only if an alert of the same episode was', () => {
    always(unruly, (events) => {
      const notified = new Set<number>()
      for (const event of events) {
        const alert = sentOf(event)
        if (alert === null) continue
        if (alert.kind !== 'recovery') notified.add(event.decision.state!.episodeAt)
        else expect(notified.delete(event.before!.episodeAt)).toBe(true)
      }
    })
  })

  it('of a recovery are followed by none of the same episode', () => {
    always(unruly, (events) => {
      const over = new Set<number>()
      for (const event of events) {
        const alert = sentOf(event)
        if (alert?.kind === 'recovery') over.add(event.before!.episodeAt)
        else if (alert !== null) expect(over.has(event.decision.state!.episodeAt)).toBe(false)
      }
    })
  })

  it('have the code of their kind', () => {
    const kinds = {
      failure: /^ALERT_(FAILURE|FAILURE_REMAIN|DEGRADED_FAILURE)$/,
      degraded: /^ALERT_(DEGRADED|DEGRADED_REMAIN|FAILURE_DEGRADED)$/,
      recovery: /^ALERT_(RECOVERY|DEGRADED_RECOVERY)$/,
    }
    always(unruly, (events) => {
      for (const event of events) {
        const alert = sentOf(event)
        if (alert?.heldBy === null) expect(alert.type).toMatch(kinds[alert.kind])
      }
    })
  })

  it('match the state after the last run', () => {
    const states = { failure: 'failing', degraded: 'degraded', recovery: 'passing' }
    always(unruly, (events) => {
      for (const event of events) {
        const alert = sentOf(event)
        if (alert?.heldBy !== null) continue
        expect(event.decision.state?.state ?? 'passing').toBe(states[alert.kind])
      }
    })
  })

  it('are not sent in silence, nor is anything else', () => {
    always(unruly, (events) => {
      for (const event of events) {
        if (event.silence === null) continue
        expect(sentOf(event)).toBeNull()
        expect(event.decision.reminder).toBeNull()
      }
    })
  })

  it('are not sent before the threshold, except for a change within the episode', () => {
    always(calm, (events) => {
      const episode: number[] = []
      for (const event of events) {
        countedOf(event).forEach((state, index) => {
          if (state === 'passing') episode.length = 0
          else episode.push(event.runs[index]!.at)
        })
        const type = sentOf(event)?.type ?? ''
        if (!/^ALERT_(FAILURE|DEGRADED)(_REMAIN)?$/.test(type)) continue
        const { escalationType, runBasedEscalation, timeBasedEscalation } = event.settings
        const minutes = (event.now - episode[0]!) / 60_000
        if (escalationType === 'TIME_BASED') {
          expect(minutes).toBeGreaterThanOrEqual(timeBasedEscalation.minutesFailingThreshold)
        } else expect(episode.length).toBeGreaterThanOrEqual(runBasedEscalation.failedRunThreshold)
      }
    })
  })

  it('are held back only for a silence or a change of state', () => {
    always(unruly, (events) => {
      for (const { decision, silence, before } of events) {
        const { alert, state } = decision
        if (alert === null || alert.heldBy === null) continue
        if (alert.heldBy === 'muted' || alert.heldBy === 'inactive' || alert.heldBy === 'maintenance') {
          expect(alert.heldBy).toBe(silence)
        } else expect(state?.rawState ?? 'passing').not.toBe(before?.rawState ?? 'passing')
      }
    })
  })
})

describe('reminders', () => {
  it('are numbered from 0 since the alert, up to their amount', () => {
    always(unruly, (events) => {
      let next: number | null = null
      for (const event of events) {
        const { alert, reminder } = event.decision
        if (reminder !== null) {
          expect(alert).toBeNull()
          expect(event.what).toBe('due')
          expect(reminder).toBe(next)
          expect(reminder).toBeLessThan(event.settings.reminders.amount)
          expect(event.decision.state?.state).not.toBe('passing')
          next = reminder + 1
        } else if (alert !== null && alert.heldBy === null) next = alert.kind === 'recovery' ? null : 0
      }
    })
  })

  it('keep their interval', () => {
    always(calm, (events) => {
      let lastAt = 0
      for (const event of events) {
        const { interval } = event.settings.reminders
        if (event.decision.reminder !== null) {
          expect(event.now - lastAt).toBeGreaterThanOrEqual(interval * 60_000)
        }
        if (event.decision.reminder !== null || sentOf(event) !== null) lastAt = event.now
      }
    })
  })
})

describe('the state', () => {
  it('is null if and only if all locations pass and no late run settles', () => {
    always(unruly, (events) => {
      for (const { decision, runs } of events) {
        const { state, dueAt } = decision
        if (state === null) {
          expect(dueAt).toBeNull()
          expect(runs.at(-1) ?? { failed: 0, degraded: 0 }).toMatchObject({ failed: 0, degraded: 0 })
        } else expect(state.rawState !== 'passing' || state.settleAt !== null).toBe(true)
      }
    })
  })

  it('has nothing due after a recovery, nor while the check passes, unless a late run settles', () => {
    always(unruly, (events) => {
      for (const event of events) {
        const { state, dueAt } = event.decision
        const isWaiting = state !== null && state.settleAt !== null
        if (sentOf(event)?.kind === 'recovery') expect(dueAt).toBeNull()
        if ((state === null || state.state === 'passing') && !isWaiting) expect(dueAt).toBeNull()
      }
    })
  })

  it('has nothing due in the past if what was due was decided before', () => {
    always(
      unruly.map((history) => ({ ...history, isPrompt: true })),
      (events) => {
        let wasChanged = false
        events.forEach((event, index) => {
          const { dueAt } = event.decision
          // The loop applies changed settings only when the check is due again.
          wasChanged = events[index - 1]?.settings !== event.settings
          if (dueAt === null || wasChanged) return
          if (event.what === 'runs') expect(dueAt).toBeGreaterThan(event.now)
          else expect(dueAt).toBeGreaterThanOrEqual(event.now)
        })
      },
    )
  })

  it('determines when it is due', () => {
    always(unruly, (events) => {
      for (const { decision, settings } of events) {
        if (decision.state !== null) expect(decision.dueAt).toBe(dueOf(decision.state, settings))
      }
    })
  })

  it('is not changed by a decision when nothing is due', () => {
    always(unruly, (events) => {
      for (const { decision, settings, silence, now } of events) {
        const { state, dueAt } = decision
        if (state === null || (dueAt !== null && dueAt <= now)) continue
        expect(decideDue(state, { settings, silence, now })).toEqual({
          state,
          dueAt,
          alert: null,
          reminder: null,
        })
      }
    })
  })
})

describe('runs of a backlog', () => {
  const backlog = fc
    .array(someDelivery, { minLength: 1, maxLength: 8 })
    .map((deliveries) =>
      deliveries
        .flatMap(({ shares }) => shares)
        .map((share, index): AlertRun => ({ ...share, at: index * 60_000 })),
    )
  const before = someHistory({ isUnruly: true }).map(
    (history) => playHistory(history).at(-1)?.decision.state ?? null,
  )
  const factsOf = (state: AlertState | null) => {
    const { state: last, rawState, runs, since } = state ?? calmState(0)
    return { last, rawState, runs, since }
  }

  it('end in the same state one by one as all at once', () => {
    fc.assert(
      fc.property(backlog, before, someSettings, (runs, from, settings) => {
        const options = { settings, silence: null, now: runs.at(-1)!.at }
        const once = decide(from, { runs, isLate: false }, options)
        let state = from
        for (const run of runs)
          state = decide(state, { runs: [run], isLate: false }, { ...options, now: run.at }).state
        expect(factsOf(state)).toEqual(factsOf(once.state))
      }),
      { numRuns },
    )
  })

  it('decide the same late, in any parts and settled, as all at once', () => {
    fc.assert(
      fc.property(backlog, before, someSettings, fc.nat(8), (runs, from, settings, cut) => {
        const now = runs.at(-1)!.at
        const options = { settings, silence: null, now }
        const parts = [runs.slice(0, cut), runs.slice(cut)]
        let late = from
        for (const part of parts) late = decide(late, { runs: part, isLate: true }, options).state
        const settled = decideDue(late!, { ...options, now: late!.settleAt! })
        const once = decide(from, { runs, isLate: false }, { ...options, now: late!.settleAt! })
        const sent = ({ alert }: typeof once) => (alert?.heldBy === null ? alert : null)
        expect(sent(settled)).toEqual(sent(once))
        expect(settled.state).toEqual(once.state)
        expect(settled.dueAt).toEqual(once.dueAt)
      }),
      { numRuns },
    )
  })

  it('change nothing if there are none', () => {
    fc.assert(
      fc.property(before, someSettings, fc.boolean(), (state, settings, isLate) => {
        const decision = decide(state, { runs: [], isLate }, { settings, silence: null, now: 0 })
        const dueAt = state === null ? null : dueOf(state, settings)
        expect(decision).toEqual({ state, dueAt, alert: null, reminder: null })
      }),
      { numRuns },
    )
  })
})

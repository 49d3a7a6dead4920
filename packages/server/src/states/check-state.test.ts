import { describe, expect, it } from 'vitest'
import { checkState, unknownFrom } from './check-state.ts'
import type { StateFacts, UnknownCause } from './state-facts.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const start = Date.UTC(2026, 10, 15, 19)
const iso = (at: number) => new Date(at).toISOString()

/** A check each minute, at the full minute, that passed at 19:00. */
const facts = (change: Partial<StateFacts> = {}): StateFacts => ({
  checkType: 'URL',
  activated: true,
  isGroupActivated: true,
  createdAt: start - 24 * hour,
  changedAt: start - 24 * hour,
  activationChangedAt: null,
  groupActivationChangedAt: null,
  verdict: 'passing',
  hasErrors: false,
  stateSince: start - 5 * hour,
  knownAt: start + second,
  lastRunAt: start,
  failureMessage: null,
  periodMs: minute,
  phaseMs: 0,
  isPlanned: true,
  runningSince: null,
  lanes: [
    { locations: ['office'], plannedAt: start - hour, served: { office: start + second }, runningIn: null },
  ],
  unknownAfterMissedRuns: 3,
  heartbeat: null,
  pause: null,
  pausedUntil: null,
  ...change,
})

const at = (ms: number, change: Partial<StateFacts> = {}, cause: UnknownCause | null = null) =>
  checkState(facts(change), start + ms, cause)

describe('the state of a check', () => {
  it('is the verdict of its last run, since the first run with that verdict', () => {
    expect(at(30 * second)).toEqual({
      state: 'passing',
      since: iso(start - 5 * hour),
      reason: 'The run that ended at 19:00 UTC passed.',
      lastState: 'passing',
      lastRunAt: iso(start),
      nextRunAt: iso(start + minute),
      staleLocations: [],
      overdueSince: null,
    })
    expect(at(0, { verdict: 'degraded' })).toMatchObject({ state: 'degraded', lastState: 'degraded' })
    expect(at(0, { verdict: 'failing', failureMessage: 'connection refused' })).toMatchObject({
      state: 'failing',
      reason: 'Connection refused.',
    })
  })

  it('is unknown once three slots were missed, each when the next one has come', () => {
    // 19:01, 19:02 and 19:03 are missed when 19:04 comes.
    expect(at(4 * minute - 1).state).toBe('passing')
    expect(at(4 * minute)).toMatchObject({
      state: 'unknown',
      since: iso(start + 4 * minute),
      lastState: 'passing',
      staleLocations: ['office'],
    })
    expect(at(9 * hour).since).toBe(iso(start + 4 * minute))
  })

  it('is never unknown sooner than a minute after the last run', () => {
    const often = { periodMs: 10 * second, knownAt: start + second }
    expect(at(61 * second - 1, often).state).toBe('passing')
    expect(at(61 * second, often)).toMatchObject({ state: 'unknown', since: iso(start + 61 * second) })
  })

  it('is unknown after the configured number of missed slots', () => {
    expect(at(2 * minute, { unknownAfterMissedRuns: 1 }).state).toBe('unknown')
    expect(at(2 * minute - 1, { unknownAfterMissedRuns: 1 }).state).toBe('passing')
    expect(at(100 * minute, { unknownAfterMissedRuns: 100 }).state).toBe('passing')
    expect(at(101 * minute, { unknownAfterMissedRuns: 100 }).state).toBe('unknown')
  })

  it('is unknown while a check never ran, since it was created or activated', () => {
    const never = { verdict: null, knownAt: null, stateSince: null, lastRunAt: null }
    expect(at(0, never)).toMatchObject({
      ...{ state: 'unknown', since: iso(start - 24 * hour), lastState: null, lastRunAt: null },
      ...{ reason: "It hasn't run yet.", nextRunAt: iso(start + minute) },
    })
    expect(at(0, { ...never, activationChangedAt: start - hour }).since).toBe(iso(start - hour))
    expect(at(0, { ...never, isPlanned: false, lanes: [] })).toMatchObject({
      reason: 'It has no location to run in.',
      nextRunAt: null,
    })
  })

  it("doesn't become unknown during a run that takes longer than its period", () => {
    const suite = { periodMs: 5 * minute, runningSince: start + 5 * minute }
    expect(at(40 * minute, suite).state).toBe('passing')
    // The agent is lost: the slots since the last run were missed after all.
    expect(at(40 * minute, { ...suite, runningSince: null }).state).toBe('unknown')
  })

  it('stays unknown until a run that began late has ended', () => {
    expect(at(30 * minute, { runningSince: start + 29 * minute }).state).toBe('unknown')
  })

  it('counts from the end of a long run, not from its slot', () => {
    const ended = { periodMs: 5 * minute, lastRunAt: start, knownAt: start + 31 * minute }
    expect(at(50 * minute - 1, ended).state).toBe('passing')
    expect(at(50 * minute, ended).state).toBe('unknown')
  })

  it('keeps what is known of the target after an error of our own, and is unknown when nothing else comes', () => {
    const erring = { hasErrors: true, lastRunAt: start + 2 * minute }
    expect(at(3 * minute, erring)).toMatchObject({
      state: 'passing',
      reason:
        'The run that ended at 19:00 UTC passed. The run at 19:02 UTC ended with an internal error and says nothing about the target.',
    })
    expect(at(10 * minute, { ...erring, lastRunAt: start + 10 * minute })).toMatchObject({
      state: 'unknown',
      reason: 'The run at 19:10 UTC ended with an internal error; the last verdict is from 19:00 UTC.',
    })
  })
})

describe('the precedence of states', () => {
  const pause = { from: start - minute, to: start + hour }

  it('is inactive, maintenance, unknown, then the verdict', () => {
    const stale = 9 * hour
    expect(at(stale, { activated: false, pause: { from: start, to: start + 10 * hour } }).state).toBe(
      'inactive',
    )
    expect(at(stale, { pause: { from: start, to: start + 10 * hour } }).state).toBe('maintenance')
    expect(at(stale, { verdict: 'failing' }).state).toBe('unknown')
  })

  it('shows what deactivated it, and since when', () => {
    expect(at(0, { activated: false, activationChangedAt: start - hour })).toMatchObject({
      ...{ state: 'inactive', since: iso(start - hour), reason: 'The check is deactivated.' },
      ...{ nextRunAt: null, staleLocations: [] },
    })
    expect(
      at(0, {
        isGroupActivated: false,
        groupActivationChangedAt: start - 2 * hour,
        activationChangedAt: start - hour,
      }),
    ).toMatchObject({ since: iso(start - 2 * hour), reason: 'Its group is deactivated.' })
    const both = { activated: false, isGroupActivated: false, activationChangedAt: start - 3 * hour }
    expect(at(0, { ...both, groupActivationChangedAt: start - 2 * hour }).since).toBe(iso(start - 3 * hour))
    expect(at(0, { activated: false }).since).toBe(iso(start - 24 * hour))
  })

  it('is in maintenance while runs are paused, with the next run after it', () => {
    expect(at(0, { pause })).toMatchObject({
      ...{ state: 'maintenance', since: iso(start - minute), lastState: 'passing' },
      ...{ reason: 'A maintenance window pauses its runs until 20:00 UTC.', nextRunAt: iso(start + hour) },
    })
  })

  it('has missed nothing of what maintenance paused, and enters its state anew afterwards', () => {
    const paused = { pausedUntil: start + 2 * hour }
    expect(at(2 * hour + minute, paused)).toMatchObject({ state: 'passing', since: iso(start + 2 * hour) })
    expect(at(2 * hour + 4 * minute, paused).state).toBe('unknown')
  })

  it('enters its state anew when it is activated again, and is unknown when too long ago', () => {
    expect(at(minute, { activationChangedAt: start + 30 * second }).since).toBe(iso(start + 30 * second))
    expect(
      at(9 * hour, { activationChangedAt: start + 8 * hour, changedAt: start + 8 * hour }),
    ).toMatchObject({
      ...{ state: 'unknown', since: iso(start + 8 * hour) },
      overdueSince: start + 8 * hour + 4 * minute,
    })
    // Not overdue: since then it has missed nothing.
    expect(at(8 * hour + minute, { changedAt: start + 8 * hour })).toMatchObject({
      ...{ state: 'unknown', overdueSince: null },
    })
  })
})

describe('several locations', () => {
  it('names those in which nothing runs, although others run the check', () => {
    const lane = (location: string, served: number) => ({
      ...{ locations: [location], plannedAt: start - hour, served: { [location]: served }, runningIn: null },
    })
    const now = 10 * minute
    const lanes = [
      lane('eu-west-1', start + now),
      lane('office', start),
      lane('us-east-1', start + now - 30_000),
    ]
    expect(at(now, { knownAt: start + now, lanes })).toMatchObject({
      state: 'passing',
      staleLocations: ['office'],
    })
    const running = lanes.map((one) => ('office' in one.served ? { ...one, runningIn: 'office' } : one))
    expect(at(now, { knownAt: start + now, lanes: running }).staleLocations).toEqual([])
  })

  it('gives each of those that take turns the time of whole rounds', () => {
    const locations = ['eu-west-1', 'office']
    const lanes = [{ locations, plannedAt: start, served: { 'eu-west-1': start }, runningIn: null }]
    expect(at(7 * minute, { lanes, knownAt: start + 7 * minute }).staleLocations).toEqual([])
    expect(at(8 * minute, { lanes, knownAt: start + 8 * minute }).staleLocations).toEqual([
      'eu-west-1',
      'office',
    ])
  })
})

describe('a run in several locations of which one is dead', () => {
  const lane = (location: string, served: number) => ({
    ...{ locations: [location], plannedAt: start - hour, served: { [location]: served }, runningIn: null },
  })
  const often = { periodMs: 10 * second, knownAt: start }

  it('is decided a minute late, and known for all that', () => {
    const lanes = [lane('eu-west-1', start + 70 * second), lane('office', start - hour)]
    expect(at(75 * second, { ...often, lanes }).state).toBe('passing')
  })

  it('is unknown when nothing decides it', () => {
    const lanes = [lane('eu-west-1', start + 5 * minute), lane('office', start - hour)]
    expect(at(5 * minute, { ...often, lanes }).state).toBe('unknown')
  })
})

describe('the reason for an unknown state', () => {
  const late = 10 * minute
  it.each<[UnknownCause, string]>([
    [
      { kind: 'no_agent', locations: ['Office'] },
      'No agent has run this check since 19:00 UTC: the location Office has no connected agent.',
    ],
    [
      { kind: 'no_agent', locations: ['Frankfurt', 'Ireland', 'Office'] },
      'No agent has run this check since 19:00 UTC: the locations Frankfurt, Ireland and Office have no connected agent.',
    ],
    [
      { kind: 'unserved_type', locations: ['Office'] },
      'No agent has run this check since 19:00 UTC: no agent in the location Office runs checks of this type.',
    ],
    [
      { kind: 'overdue', locations: ['Office'] },
      "No agent has run this check since 19:00 UTC: the agents in the location Office don't take its runs.",
    ],
    [
      { kind: 'server_outage', locations: [], outage: { from: start + minute, to: start + 9 * minute } },
      "It hasn't run since 19:00 UTC: no server was running from 19:01 UTC to 19:09 UTC.",
    ],
  ])('%j', (cause, reason) => {
    expect(at(late, {}, cause)).toMatchObject({ state: 'unknown', reason })
  })

  it('has the date of another day', () => {
    expect(at(10 * hour, {}, { kind: 'no_agent', locations: ['Office'] }).reason).toBe(
      'No agent has run this check since 2026-11-15 19:00 UTC: the location Office has no connected agent.',
    )
  })
})

describe('the state of a heartbeat monitor', () => {
  const pinged = { lastPingAt: start, dueAt: start + hour, deadlineAt: start + 2 * hour }
  const monitor = (change: Partial<StateFacts> = {}) => ({
    ...{ checkType: 'HEARTBEAT' as const, isPlanned: false, lanes: [], heartbeat: pinged },
    ...change,
  })

  it('is unknown before the first ping', () => {
    const heartbeat = { lastPingAt: null, dueAt: null, deadlineAt: null }
    const never = { verdict: null, knownAt: null, stateSince: null, lastRunAt: null, heartbeat }
    expect(at(9 * hour, monitor(never))).toMatchObject({
      ...{ state: 'unknown', reason: "It hasn't received a ping yet.", nextRunAt: null, overdueSince: null },
    })
  })

  it('is passing until its deadline, however long its period is', () => {
    expect(at(2 * hour - 1, monitor())).toMatchObject({
      ...{ state: 'passing', reason: 'The last ping arrived at 19:00 UTC.' },
      ...{ lastRunAt: iso(start), nextRunAt: iso(start + hour) },
    })
  })

  it('is failing when it is overdue', () => {
    const failureMessage = 'No ping came in time: one is expected every 1 hour, with 1 hour of grace'
    const failing = monitor({ verdict: 'failing', failureMessage, stateSince: start + 2 * hour })
    expect(at(30 * hour, failing)).toMatchObject({ state: 'failing', reason: `${failureMessage}.` })
  })

  it("isn't passing after its deadline, even if no server has evaluated it", () => {
    expect(at(2 * hour + minute, monitor())).toMatchObject({
      ...{ state: 'unknown', since: iso(start + 2 * hour + minute) },
      reason: 'Its deadline passed at 21:00 UTC, and no server has evaluated it yet.',
    })
  })

  it('is unknown after it was activated again, until the next ping', () => {
    const heartbeat = { lastPingAt: null, dueAt: null, deadlineAt: null }
    expect(at(hour, monitor({ heartbeat, activationChangedAt: start + minute }))).toMatchObject({
      ...{ state: 'unknown', since: iso(start + minute) },
      reason: "It hasn't received a ping since it was activated.",
    })
  })
})

describe('when a state turns unknown', () => {
  it('is arithmetic on the slots', () => {
    const rule = { periodMs: minute, phaseMs: 10 * second, unknownAfterMissedRuns: 3 }
    expect(unknownFrom(rule, start + 11 * second)).toBe(start + 4 * minute + 10 * second)
    expect(unknownFrom({ ...rule, periodMs: second, phaseMs: 0 }, start)).toBe(start + minute)
  })
})

// Claims as many jobs as the agent has capacity for, runs them, delivers their results, and drains on request.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckType, UpcomingCodeRun } from '@vedette/contracts'
import type { Journal } from '../connection/journal.ts'
import { Outbox } from '../connection/outbox.ts'
import { startPresence } from '../connection/presence.ts'
import { type AgentIdentity, maxClaimWaitSeconds, renewEveryMs } from '../connection/protocol.ts'
import type { ErrorReports } from '../connection/report.ts'
import type { ServerClient } from '../connection/server-client.ts'
import { createBackoff } from '../core/backoff.ts'
import type { ServerClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { brokenResult } from '../run/reported-result.ts'
import { isCodeType } from '../run/run-limits.ts'
import { type RunJob, RunsInFlight } from '../run/runs-in-flight.ts'
import { createScrubber } from '../scrub/scrub.ts'

export interface AgentOptions {
  identity: AgentIdentity
  locations: readonly string[]
  checkTypes: readonly CheckType[]
  capacity: { network: number; code: number }
  client: ServerClient
  clock: ServerClock
  journal: Journal
  log: Log
  reports: ErrorReports
  runJob: RunJob
  /** Receives the code runs that are due soon, with each claim. */
  onUpcoming?(runs: readonly UpcomingCodeRun[]): void
  /** Further facts for health and presence: ping mode, sandbox. */
  facts(): Record<string, unknown>
  /** How often leases are renewed; default: as the contract says. */
  renewMs?: number
}

export type Agent = ReturnType<typeof startAgent>

export interface DrainPatience {
  runsMs: number
  /** For canceled runs, until their processes have ended. Another agent can then claim them at once. */
  cancelMs?: number
  deliveryMs: number
}

const patient: DrainPatience = { runsMs: 300_000, cancelMs: 20_000, deliveryMs: 15_000 }

/** Between two claims, so that a response carries all jobs that became due meanwhile. */
const claimSpacingMs = 100
/** With several servers, one that stopped without closing its connections must be noticed soon. */
const claimWaitWithOthersSeconds = 5
/** A waiting claim doesn't know of capacity that becomes free meanwhile, so it waits only briefly. */
const claimWaitWhenFullSeconds = 1
const claimGraceMs = 3_000
/**
 * Claimed together with what is due, unless the agent is busy: then many are due with each claim anyway. Not longer, because a
 * check that is changed meanwhile runs once more as it was.
 */
const aheadMs = 3_000
const sweepEveryMs = 1_000

export function startAgent(options: AgentOptions) {
  const { identity, locations, client, clock, log, journal, reports } = options
  const draining = new AbortController()
  let isOver = false
  const state = () => (draining.signal.aborted ? 'draining' : 'running')
  const outbox = new Outbox({
    agentId: identity.agentId,
    client,
    journal,
    log,
    report: (message) => reports.send(message),
  })
  const runs = new RunsInFlight({
    capacity: options.capacity,
    runJob: options.runJob,
    monotonic: () => clock.monotonic(),
    onFinish(token, result, { accountId, source }) {
      // Too late for the journal: the server hands the run out again.
      if (isOver) return
      // For the results of the runs that are still in flight.
      const canWait = runs.size > 0 && source === 'schedule' && result.outcome === 'passed'
      outbox.push(token, JSON.stringify(result), { owner: accountId, canWait })
    },
    abandon: (job, startedAt, reason) => {
      const message = createScrubber(job.secrets).text(reason.message)
      const durationMs = clock.monotonic() - startedAt
      reports.send(`a run was abandoned: ${message}`)
      return brokenResult(job, { startedAt: clock.now() - durationMs, durationMs }, message)
    },
  })
  const presence = startPresence({
    identity,
    locations,
    client,
    clock,
    log,
    state,
    leases: () => [...runs.tokens(), ...outbox.tokens()],
    facts: () => {
      const { capacity } = options
      const free = runs.free()
      const running = { network: capacity.network - free.network, code: capacity.code - free.code }
      return { ...options.facts(), clockOffsetMs: clock.offsetMs, slots: capacity, running }
    },
    onCancelled: (runIds) => runs.cancel(runIds),
    everyMs: options.renewMs ?? renewEveryMs,
  })
  const sweeper = setInterval(() => runs.sweep(), sweepEveryMs)
  if (outbox.size > 0) log.info({ results: outbox.size }, 'journal.replayed')

  const claiming = claimLoop(options, runs, () => outbox.journalError === null, draining.signal)

  async function drain({ runsMs, cancelMs = 1_000, deliveryMs }: DrainPatience): Promise<void> {
    draining.abort()
    await claiming
    void presence.report()
    const waitForRuns = async (patience: AbortSignal) => {
      while (runs.size > 0 && !patience.aborted) await runs.waitForChange(patience)
    }
    await waitForRuns(AbortSignal.timeout(runsMs))
    runs.cancel()
    await waitForRuns(AbortSignal.timeout(cancelMs))
    clearInterval(sweeper)
    await outbox.waitUntilEmpty(deliveryMs)
    if (outbox.size > 0) log.warn({ results: outbox.size }, 'journal.undelivered')
    presence.stop()
    await presence.report()
    isOver = true
    await outbox.close()
    await journal.close()
    client.close()
  }

  let drained: Promise<void> | null = null
  return {
    status: () => ({
      state: state(),
      inFlight: runs.size,
      /** Results that the server doesn't have yet. */
      undelivered: outbox.size,
      journalTrouble: outbox.journalError?.message ?? null,
    }),
    /** Starts no new runs, waits for those in flight, and delivers their results or leaves them in the journal. */
    drain(patience = patient): Promise<void> {
      drained ??= drain(patience)
      return drained
    },
  }
}

async function claimLoop(
  { identity, locations, checkTypes, capacity, client, log, onUpcoming }: AgentOptions,
  runs: RunsInFlight,
  canJournal: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const backoff = createBackoff()
  const patientSeconds = client.serverCount > 1 ? claimWaitWithOthersSeconds : maxClaimWaitSeconds
  const servesCode = checkTypes.some(isCodeType)
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)
  while (!signal.aborted) {
    const { network, code } = runs.free()
    const isCodeFull = servesCode && code === 0
    if (network === 0 && (isCodeFull || !servesCode)) {
      await runs.waitForChange(signal)
      continue
    }
    const waitSeconds = isCodeFull || network === 0 ? claimWaitWhenFullSeconds : patientSeconds
    if (!canJournal()) {
      await pause(claimSpacingMs)
      continue
    }
    const body = JSON.stringify({
      ...identity,
      locations,
      checkTypes,
      freeNetwork: network,
      freeCode: code,
      codeSlots: capacity.code,
      waitSeconds,
      aheadMs: 2 * network > capacity.network ? aheadMs : 0,
    })
    try {
      const timeoutMs = waitSeconds * 1000 + claimGraceMs
      const { jobs, nextCode, serverTime } = await client.call('claim', body, { timeoutMs, signal })
      backoff.reset()
      for (const job of jobs) runs.start(job, (job.startAt ?? serverTime) - serverTime)
      // Servers of an earlier release don't send it.
      if (nextCode) onUpcoming?.(nextCode)
      if (jobs.length > 0) log.debug({ jobs: jobs.length, inFlight: runs.size }, 'runs.claimed')
      await pause(claimSpacingMs)
    } catch {
      if (!signal.aborted) await pause(backoff.next())
    }
  }
}

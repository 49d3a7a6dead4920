// Many agents in one process, with the agent's own modules for the protocol: claims, leases, presence, journal, results. A run isn't
// made: it ends as passed after some milliseconds.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { networkCheckTypes } from './checks/runners.ts'
import { openJournal } from './connection/journal.ts'
import { createReports } from './connection/report.ts'
import { createServerClient } from './connection/server-client.ts'
import { createServerClock } from './core/clock.ts'
import { createLog } from './core/log.ts'
import { startAgent } from './process/agent.ts'
import { toReportedResult } from './run/reported-result.ts'

/** How long a run takes. */
const runMs = 20

interface SimulatedOptions {
  count: number
  serverUrl: string
  apiKey: string
  locations: string[]
  /** Each agent has its journal below it. */
  folder: string
}

export async function startSimulatedAgents(options: SimulatedOptions) {
  const agents = await Promise.all(
    Array.from({ length: options.count }, (_, index) =>
      startOne(options, join(options.folder, String(index))),
    ),
  )
  return {
    /** No run in flight, nothing left to deliver. */
    isIdle: () =>
      agents.every((agent) => {
        const { inFlight, undelivered } = agent.status()
        return inFlight === 0 && undelivered === 0
      }),
    /** Drains all of them. */
    stop: async () => void (await Promise.all(agents.map((agent) => agent.drain()))),
  }
}

async function startOne({ serverUrl, apiKey, locations }: SimulatedOptions, folder: string) {
  const version = 'simulated'
  const log = createLog('ERROR')
  const clock = createServerClock()
  const client = createServerClient({ servers: [serverUrl], apiKey, version }, clock, log)
  const identity = { agentId: randomUUID(), version, agentName: version }
  const journal = await openJournal(folder)
  if (journal === null) throw new Error(`another agent uses ${folder}`)
  return startAgent({
    identity,
    locations,
    checkTypes: networkCheckTypes,
    capacity: { network: 100, code: 0 },
    client,
    clock,
    journal,
    log,
    reports: createReports(identity, null, clock, log),
    async runJob(job) {
      const startedAt = clock.now()
      await sleep(runMs)
      const measured = { startedAt, durationMs: runMs, responseTimeMs: runMs, overMaxResponseTime: false }
      const outcome = { ...measured, outcome: 'passed' as const, failure: null, assertions: [], detail: null }
      return toReportedResult(job, outcome, { isCancelled: false, now: clock.now() })
    },
    facts: () => ({}),
  })
}

// The whole way of a run on a clock of our own: checks made over the API, claimed and reported over the agent's routes.
import { randomUUID } from 'node:crypto'
import {
  type CheckType,
  checkTypes,
  type Job,
  type ReportedResult,
  type UpcomingCodeRun,
} from '@vedette/contracts'
import { expect } from 'vitest'
import { decisionContext } from '../alerting/decision/decision-context.ts'
import { reapOverdue } from '../dispatch/reap.ts'
import { insertAgentKey } from '../storage/accounts/agent-keys.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { type Caller, startTestApi, type TestApi } from './api.ts'

export interface Simulation {
  api: TestApi
  now(): number
  /** Sets the clock; never back. */
  goTo(instant: number): void
  pass(ms: number): void
  /** An active check, by default of alice's; the settings over a URL monitor in one region, each minute, without retries. Of types that
   * run code, over the contract's example. */
  createCheck(settings?: Record<string, unknown>, caller?: Caller): Promise<{ id: string }>
  operator(locations: string[]): Promise<SimulatedAgent>
  agentOf(key: string): SimulatedAgent
  builtIn(): SimulatedAgent
  reap(): Promise<void>
  /** What happened to the slots of the check so far: hours without a rollup are counted from the results. */
  coverage(
    checkId: string,
  ): Promise<{ executed: number; skipped: number; missed: number; reasons: Record<string, number> }>
  results(checkId: string): Promise<StoredResult[]>
  lanes(checkId: string): Promise<StoredLane[]>
  close(): Promise<void>
}

interface StoredResult {
  scheduled_at: string
  location: string
  attempt: number
  result_type: string
  has_failures: boolean
  run_id: string
}

interface StoredLane {
  lane: string
  location: string
  queue: string
  slot_at: string
  due_at: string
  run_id: string | null
  attempt: number
}

/** A job with the facts of its run. `kind` tells the two forms of an agentic script apart. */
type SaidOfRun = Pick<Job, 'token'> &
  Partial<Omit<ReportedResult, 'agenticScript'>> & {
    agenticScript?: Job['agenticScript'] | ReportedResult['agenticScript']
  }

export interface SimulatedAgent {
  id: string
  claim(options?: {
    freeNetwork?: number
    freeCode?: number
    codeSlots?: number
    checkTypes?: string[]
    locations?: string[]
    agentName?: string
    aheadMs?: number
  }): Promise<Job[]>
  /** Of the last claim. */
  nextCode: UpcomingCodeRun[]
  /** Returns whether each was accepted. */
  report(...runs: SaidOfRun[]): Promise<boolean[]>
  /** The ids of the runs that need not be finished. */
  renew(
    jobs: Pick<Job, 'token'>[],
    state?: 'running' | 'draining',
    facts?: Record<string, unknown>,
  ): Promise<string[]>
}

export async function startSimulation(
  start = Date.UTC(2026, 10, 15, 8),
  environment: Record<string, string> = {},
): Promise<Simulation> {
  let now = start
  const api = await startTestApi(environment, { now: () => now })
  const { alice, store } = api

  function agentOf(key: string, locations: string[] = []): SimulatedAgent {
    const id = randomUUID()
    const call = async (path: string, body: object) => {
      const response = await alice.send('POST', `/agent/v1/${path}`, body, { authorization: `Bearer ${key}` })
      expect(response.status, response.text).toBe(200)
      expect(response.body.serverTime).toBe(now)
      return response.body
    }
    const agent: SimulatedAgent = {
      id,
      nextCode: [],
      claim: async ({
        freeNetwork = 100,
        freeCode = 0,
        codeSlots,
        checkTypes = networkTypes,
        locations: asked = locations,
        agentName,
        aheadMs = 0,
      } = {}) => {
        const { jobs, nextCode } = await call('claim', {
          agentId: id,
          version: '0.1.0',
          agentName,
          locations: asked,
          checkTypes,
          freeNetwork,
          freeCode,
          codeSlots,
          waitSeconds: 0,
          aheadMs,
        })
        agent.nextCode = nextCode
        return jobs
      },
      report: async (...runs) => {
        const results = runs.map((run) => ({ ...passed, startedAt: now, ...reportOf(run) }))
        const { answers } = await call('results', { agentId: id, results })
        return answers.map(({ accepted }: { accepted: boolean }) => accepted)
      },
      renew: async (jobs, state = 'running', facts = {}) =>
        (
          await call('presence', {
            agentId: id,
            version: '0.1.0',
            locations,
            state,
            startedAt: start,
            leases: jobs.map(({ token }) => token),
            facts,
          })
        ).cancelled,
    }
    return agent
  }

  return {
    api,
    now: () => now,
    goTo(instant) {
      if (instant < now) throw new Error('time does not go back')
      now = instant
    },
    pass(ms) {
      now += ms
    },
    async createCheck(settings = {}, caller = alice) {
      const { checkType = 'URL', ...rest } = settings
      const { path, example } = checkTypes[checkType as CheckType]
      const created = await caller.post(`/v1/checks/${path}`, {
        ...(networkTypes.includes(checkType as string) ? {} : example),
        name: 'A check',
        locations: ['eu-west-1'],
        frequency: 1,
        frequencyOffset: 10,
        doubleCheck: false,
        request: { method: 'GET', url: 'http://127.0.0.1/' },
        ...rest,
      })
      expect(created.status, created.text).toBe(201)
      return created.body
    },
    async operator(locations) {
      return agentOf((await insertAgentKey(store.db, 'test')).rawKey, locations)
    },
    agentOf: (key) => agentOf(key),
    builtIn: () => agentOf(api.builtInKey),
    async reap() {
      await inTransaction(store.pool, (client) =>
        reapOverdue(client, decisionContext({ clock: { now: () => now }, config: api.config })),
      )
    },
    async coverage(checkId) {
      const { rows: counted } = await store.pool.query(
        'select skipped, missed, reasons from coverage where check_id = $1',
        [checkId],
      )
      const { rows } = await store.pool.query<{ executed: number }>(
        `select count(*) as executed from results where check_id = $1 and source = 'schedule' and result_type = 'FINAL'`,
        [checkId],
      )
      const reasons: Record<string, number> = {}
      for (const row of counted) {
        for (const [reason, count] of Object.entries(row.reasons as Record<string, number>)) {
          reasons[reason] = (reasons[reason] ?? 0) + count
        }
      }
      const sum = (pick: 'skipped' | 'missed') => counted.reduce((total, row) => total + row[pick], 0)
      return { executed: rows[0]?.executed ?? 0, skipped: sum('skipped'), missed: sum('missed'), reasons }
    },
    async results(checkId) {
      const { rows } = await store.pool.query<StoredResult>(
        `select scheduled_at, location, attempt, result_type, has_failures, run_id from results
         where check_id = $1 order by scheduled_at, location, attempt`,
        [checkId],
      )
      return rows
    },
    async lanes(checkId) {
      const { rows } = await store.pool.query<StoredLane>(
        'select lane, location, queue, slot_at, due_at, run_id, attempt from schedule where check_id = $1 order by lane',
        [checkId],
      )
      return rows
    },
    close: () => api.close(),
  }
}

const networkTypes = ['API', 'URL', 'TCP', 'DNS', 'ICMP']

const passed = {
  durationMs: 20,
  responseTimeMs: 20,
  outcome: 'passed',
  overMaxResponseTime: false,
  failure: null,
  statusCode: 200,
  metrics: [20, 0, 1, 2, 15, 2],
  sslDaysRemaining: null,
  detail: null,
}

/** What of a job and what was said about it makes a report. */
function reportOf({ token, agenticScript, ...run }: SaidOfRun): Partial<ReportedResult> {
  const fields = Object.keys(passed).concat('startedAt', 'artifacts', 'metricLayout')
  return {
    token,
    ...Object.fromEntries(Object.entries(run).filter(([name]) => fields.includes(name))),
    ...(agenticScript && 'kind' in agenticScript && { agenticScript }),
  }
}

/** A failed run, as the network fails. */
export const refused = {
  outcome: 'failed',
  responseTimeMs: null,
  statusCode: null,
  failure: { kind: 'connect', message: 'connection refused', phase: 'connect', code: 'ECONNREFUSED' },
} as const

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckType, UpcomingCodeRun } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { networkCheckTypes } from '../checks/runners.ts'
import { AgentServer, jobExample, until } from '../connection/agent-server.fixture.ts'
import { openJournal } from '../connection/journal.ts'
import { createReports } from '../connection/report.ts'
import { createServerClient } from '../connection/server-client.ts'
import { createServerClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import { bodyBudget } from '../net/body-budget.ts'
import { serve } from '../net/listeners.fixture.ts'
import { createJobRunner } from '../run/job.ts'
import { runCheck } from '../run/run.ts'
import type { RunJob } from '../run/runs-in-flight.ts'
import { type Agent, startAgent } from './agent.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function server(): Promise<AgentServer> {
  const made = new AgentServer()
  await made.listen()
  cleanUps.push(() => made.kill())
  return made
}

interface Options {
  checkTypes?: readonly CheckType[]
  network?: number
  code?: number
  renewMs?: number
  runJob?: RunJob
  onUpcoming?(runs: readonly UpcomingCodeRun[]): void
  folder?: string
}

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-agent-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function agentOf(servers: AgentServer[], options: Options = {}): Promise<Agent> {
  const identity = { agentId: crypto.randomUUID(), version: '1.2.3', agentName: 'probe-1' }
  const clock = createServerClock()
  const lines: string[] = []
  const log = createLog('DEBUG', (line) => lines.push(line))
  const urls = servers.map(({ url }) => url)
  const client = createServerClient({ servers: urls, apiKey: 'pl_test', version: '1.2.3' }, clock, log)
  const journal = await openJournal(options.folder ?? dataFolder())
  if (!journal) throw new Error('the directory is in use')
  const network = networkPolicy({ mode: 'default' })
  const agent = startAgent({
    identity,
    locations: ['eu-west-1'],
    checkTypes: options.checkTypes ?? networkCheckTypes,
    capacity: { network: options.network ?? 500, code: options.code ?? 2 },
    client,
    clock,
    journal,
    log,
    reports: createReports(identity, client, clock, log),
    facts: () => ({ pingMode: null }),
    ...(options.renewMs !== undefined && { renewMs: options.renewMs }),
    ...(options.onUpcoming && { onUpcoming: options.onUpcoming }),
    runJob:
      options.runJob ??
      createJobRunner({ runCheck, clock, network, userAgent: 'Vedette/test', bodies: bodyBudget(1e8) }),
  })
  cleanUps.push(() => agent.drain({ runsMs: 0, deliveryMs: 0 }))
  return agent
}

/** Ends when it is canceled, and reports how. */
const endless: RunJob = (job, signal) =>
  new Promise((resolve) => {
    const jobs = createJobRunner({
      runCheck: async () => ({
        startedAt: 0,
        durationMs: 0,
        responseTimeMs: null,
        assertions: [],
        detail: null,
        outcome: 'error',
        failure: null,
        overMaxResponseTime: false,
      }),
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      network: networkPolicy({ mode: 'default' }),
      userAgent: 'x',
      bodies: bodyBudget(1),
    })
    signal.addEventListener('abort', () => resolve(jobs(job, signal)))
  })

describe('an agent that runs code', () => {
  const checkTypes = [...networkCheckTypes, 'BROWSER'] as const

  it('claims network runs while its capacity for code is used up, and waits only briefly', async () => {
    const home = await server()
    await agentOf([home], { checkTypes, network: 3, code: 1, runJob: endless })
    home.give(jobExample('http://127.0.0.1:1', { checkType: 'BROWSER' }))
    await until(() => home.claims.at(-1)?.freeCode === 0, 'a claim without capacity for code')
    expect(home.claims.at(-1)).toMatchObject({ freeNetwork: 3, freeCode: 0, waitSeconds: 1 })
    expect(home.claims[0]).toMatchObject({ freeNetwork: 3, freeCode: 1, waitSeconds: 20 })
  })

  it('claims code runs while its capacity for the network is used up', async () => {
    const home = await server()
    await agentOf([home], { checkTypes, network: 1, code: 2, runJob: endless })
    home.give(jobExample('http://127.0.0.1:1'))
    await until(() => home.claims.at(-1)?.freeNetwork === 0, 'a claim for code alone')
    expect(home.claims.at(-1)).toMatchObject({ freeNetwork: 0, freeCode: 2, waitSeconds: 1 })
    expect(home.problems).toEqual([])
  })
})

describe('the code runs that claims announce', () => {
  it('reach the hosts, the run itself first; an earlier server announces none', async () => {
    const target = await serve((_request, response) => response.end('hello'))
    const home = await server()
    const announced: (readonly UpcomingCodeRun[])[] = []
    await agentOf([home], { onUpcoming: (runs) => announced.push(runs) })
    home.give(jobExample(target))
    await until(() => home.results.length === 1, 'a result')
    expect(announced).toEqual([])
    const run = {
      checkId: crypto.randomUUID(),
      type: 'BROWSER',
      runtimeId: '2026.04',
      dueInMs: 9_000,
    } as const
    home.nextCode = [run]
    home.give(jobExample(target))
    await until(() => announced.length > 0, 'an announcement')
    expect(announced[0]).toEqual([run])
    expect(home.problems).toEqual([])
  })
})

describe('an agent', () => {
  it('claims, runs and reports as the contract says', async () => {
    const target = await serve((_request, response) => response.end('hello'))
    const home = await server()
    await agentOf([home])
    const job = jobExample(target)
    home.give(job)
    await until(() => home.results.length === 1, 'a result')
    expect(home.results[0]).toMatchObject({
      token: job.token,
      outcome: 'passed',
      failure: null,
      statusCode: 200,
      sslDaysRemaining: null,
      overMaxResponseTime: false,
    })
    const { metrics, responseTimeMs, detail, startedAt } = home.results[0]!
    expect(metrics).toHaveLength(6)
    expect(metrics[0]).toBe(responseTimeMs)
    expect(Math.abs(startedAt - Date.now())).toBeLessThan(5_000)
    expect(JSON.parse(detail!)).toMatchObject({ observed: { response: { status: 200, body: 'hello' } } })
    expect(home.claims[0]).toMatchObject({
      version: '1.2.3',
      locations: ['eu-west-1'],
      checkTypes: networkCheckTypes,
      freeNetwork: 500,
      freeCode: 2,
      waitSeconds: 20,
    })
    expect(home.presences[0]).toMatchObject({ state: 'running', facts: { pingMode: null } })
    expect(home.problems).toEqual([])
  })

  it('claims no more than its capacity, and continues when a run ends', async () => {
    let waiting: (() => void)[] = []
    const target = await serve((_request, response) => {
      waiting.push(() => response.end('at last'))
    })
    const home = await server()
    const agent = await agentOf([home], { network: 2 })
    home.give(...Array.from({ length: 5 }, () => jobExample(target)))
    await until(() => waiting.length === 2, 'two requests')
    expect(agent.status().inFlight).toBe(2)
    expect(home.jobs).toHaveLength(3)
    const areAllBack = () => {
      const released = waiting
      waiting = []
      for (const end of released) end()
      return home.results.length === 5
    }
    await until(areAllBack, 'all results')
    expect(Math.max(...home.claims.map(({ freeNetwork }) => freeNetwork))).toBe(2)
    expect(home.claims.every(({ freeNetwork }) => freeNetwork > 0)).toBe(true)
  })

  it('lets runs with scripts wait for capacity, and no others', async () => {
    const home = await server()
    const begun: string[] = []
    const runJob: RunJob = (job, signal) => {
      begun.push(job.token)
      return endless(job, signal)
    }
    const agent = await agentOf([home], { code: 1, runJob, renewMs: 20 })
    const setup = [{ name: 'setup', script: '' }]
    const scripted = [
      jobExample('http://127.0.0.1:1', { setup }),
      jobExample('http://127.0.0.1:1', { setup }),
    ]
    const plain = jobExample('http://127.0.0.1:1')
    home.give(...scripted, plain)
    await until(() => agent.status().inFlight === 3, 'three runs')
    expect(begun).toEqual([scripted[0]!.token, plain.token])
    // A waiting run keeps its lease and can be canceled.
    await until(() => home.presences.at(-1)?.leases.includes(scripted[1]!.token) ?? false, 'its lease')
    home.cancelled = [scripted[0]!.runId]
    await until(() => begun.includes(scripted[1]!.token), 'its turn')
    home.cancelled = [scripted[1]!.runId, plain.runId]
    await until(() => home.results.length === 3, 'all ends')
    expect(home.results.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  it('renews the lease of a run until it ends, and cancels it on request', async () => {
    const target = await serve(() => undefined)
    const home = await server()
    await agentOf([home], { renewMs: 20 })
    const job = jobExample(target)
    home.give(job)
    const renewals = () => home.presences.filter(({ leases }) => leases.includes(job.token)).length
    await until(() => renewals() >= 5, 'renewals')
    home.cancelled = [job.runId]
    await until(() => home.results.length === 1, 'a result')
    expect(home.results[0]).toMatchObject({ token: job.token, outcome: 'cancelled', responseTimeMs: null })
    home.cancelled = []
    const seen = home.presences.length
    await until(() => home.presences.length > seen + 1, 'a presence afterwards')
    expect(home.presences.at(-1)?.leases).toEqual([])
  })

  it("keeps the lease of a run whose result isn't delivered yet", async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await server()
    home.failWith = { calls: ['results'], status: 503 }
    const agent = await agentOf([home], { renewMs: 20 })
    const job = jobExample(target)
    home.give(job)
    await until(() => agent.status().undelivered === 1, 'a result that waits')
    const seen = home.presences.length
    await until(() => home.presences.length > seen + 1, 'a presence')
    expect(home.presences.at(-1)?.leases).toEqual([job.token])
    home.failWith = null
    await until(() => home.results.length === 1, 'the result')
    await until(() => agent.status().undelivered === 0, 'its acknowledgement')
  })

  it('runs a job once if it is claimed again meanwhile, and reports it with the newer lease', async () => {
    let requests = 0
    let end: (() => void) | undefined
    const target = await serve((_request, response) => {
      requests += 1
      end = () => response.end('ok')
    })
    const home = await server()
    await agentOf([home])
    const job = jobExample(target)
    home.give(job)
    await until(() => requests === 1, 'the request')
    home.give({ ...job, token: 'newer' })
    await until(() => home.jobs.length === 0 && home.claims.length >= 3, 'the second claim')
    end?.()
    await until(() => home.results.length === 1, 'the result')
    expect(home.results[0]?.token).toBe('newer')
    expect(requests).toBe(1)
  })

  it('corrects times by the clock of the server', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await server()
    home.timeShiftMs = 3_600_000
    await agentOf([home])
    await until(() => home.presences.length > 0, 'the first response')
    home.give(jobExample(target))
    await until(() => home.results.length === 1, 'a result')
    expect(Math.abs(home.results[0]!.startedAt - (Date.now() + 3_600_000))).toBeLessThan(5_000)
    expect(home.results[0]!.durationMs).toBeLessThan(10_000)
  })
})

describe('an agent whose server fails', () => {
  it('continues with another server when one is killed during a claim', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const [first, second] = [await server(), await server()]
    await agentOf([first, second], { renewMs: 50 })
    await until(() => first.claims.length === 1, 'a claim at the first')
    expect(first.claims[0]?.waitSeconds).toBeLessThanOrEqual(10)
    expect(second.claims).toEqual([])
    await first.kill()
    second.give(jobExample(target))
    await until(() => second.results.length === 1, 'a result at the second')
  })

  it.each([500, 503, null])('retries after %s, and delivers once', async (status) => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await server()
    const agent = await agentOf([home])
    const jobs = Array.from({ length: 3 }, () => jobExample(target))
    home.failWith = { calls: ['results', 'presence'], status }
    home.give(...jobs)
    await until(() => agent.status().undelivered === 3, 'results that wait')
    home.failWith = null
    await until(() => agent.status().undelivered === 0, 'their delivery')
    expect(home.results.map(({ token }) => token).sort()).toEqual(jobs.map(({ token }) => token).sort())
  })

  it('continues to claim after the server was away', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await server()
    await agentOf([home])
    await until(() => home.claims.length === 1, 'a claim')
    const { port } = home
    await home.kill()
    await home.listen(port)
    home.give(jobExample(target))
    await until(() => home.results.length === 1, 'a result')
  })

  it('drops a result that is refused and one that is unreadable, but no other', async () => {
    const target = await serve((_request, response) => response.end('ok'))
    const home = await server()
    const jobs = Array.from({ length: 8 }, () => jobExample(target))
    home.accepts = ({ token }) => token !== jobs[1]!.token
    const runJob = createJobRunner({
      runCheck,
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      network: networkPolicy({ mode: 'default' }),
      userAgent: 'x',
      bodies: bodyBudget(1e6),
    })
    const agent = await agentOf([home], {
      // The server responds with 400 to the whole batch if one result breaks the contract.
      runJob: async (job, signal) => {
        const result = await runJob(job, signal)
        return job === jobs[4] || job.token === jobs[4]!.token ? { ...result, metrics: [-1] } : result
      },
    })
    home.give(...jobs)
    const others = jobs.filter((_job, at) => at !== 4).map(({ token }) => token)
    const delivered = () => new Set(home.results.map(({ token }) => token))
    await until(() => others.every((token) => delivered().has(token)), 'all others')
    await until(() => agent.status().undelivered === 0, 'an empty journal')
    expect(delivered().has(jobs[4]!.token)).toBe(false)
    await until(() => home.reports.length > 0, 'a report')
    expect(home.reports[0]).toMatchObject({
      level: 'error',
      message: expect.stringContaining('refused a result'),
    })
  })
})

describe('an agent that drains', () => {
  it('claims no more, finishes its runs, delivers, and reports that it drains', async () => {
    let end: (() => void) | undefined
    const target = await serve((_request, response) => {
      end = () => response.end('done')
    })
    const home = await server()
    const agent = await agentOf([home])
    home.give(jobExample(target))
    await until(() => end !== undefined, 'a request')
    let isDrained = false
    const drained = agent.drain().then(() => {
      isDrained = true
    })
    await until(() => home.presences.at(-1)?.state === 'draining', 'the word')
    const claims = home.claims.length
    home.give(jobExample(target))
    expect(agent.status()).toMatchObject({ state: 'draining', inFlight: 1 })
    expect(isDrained).toBe(false)
    end?.()
    await drained
    expect(home.results).toHaveLength(1)
    expect(home.results[0]).toMatchObject({ outcome: 'passed' })
    expect(home.claims).toHaveLength(claims)
    expect(home.presences.at(-1)).toMatchObject({ state: 'draining', leases: [] })
  })

  it("leaves results that it can't deliver to the next agent of its directory", async () => {
    let requests = 0
    const target = await serve((_request, response) => {
      requests++
      response.end('ok')
    })
    const home = await server()
    const folder = dataFolder()
    const first = await agentOf([home], { folder })
    home.failWith = { calls: ['results'], status: 503 }
    const jobs = [jobExample(target), jobExample(target)]
    home.give(...jobs)
    await until(() => first.status().undelivered === 2, 'results that wait')
    await first.drain({ runsMs: 1_000, deliveryMs: 0 })
    home.failWith = null
    const second = await agentOf([home], { folder })
    await until(() => home.results.length === 2, 'the results')
    expect(home.results.map(({ token }) => token).sort()).toEqual(jobs.map(({ token }) => token).sort())
    expect(requests).toBe(2)
    await until(() => second.status().undelivered === 0, 'an empty journal')
  })
})

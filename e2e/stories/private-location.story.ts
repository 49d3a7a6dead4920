import {
  createPrivateLocation,
  createUrlMonitor,
  getCheckCoverage,
  getCheckSession,
  getPrivateLocation,
  getPrivateLocationMetrics,
  listCheckResults,
  triggerCheckSessions,
} from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentProcess } from '../agent-process.ts'
import { onDemandOnly, Scene } from '../scene.ts'
import { Site } from '../target/site.ts'
import { until } from '../until.ts'

const slugName = 'office-bern'

describe('a private location', { timeout: 120_000 }, () => {
  const scene = new Scene()
  const agents: AgentProcess[] = []
  let site: Site
  let id: string
  let key: string
  let agent: AgentProcess

  beforeAll(async () => {
    site = await Site.open()
    await scene.open()
  }, 180_000)
  afterAll(async () => {
    for (const one of agents) await one.remove()
    await scene.close()
    await site.shut()
  })

  async function startAgent(environment: Record<string, string> = {}): Promise<AgentProcess> {
    const started = await AgentProcess.start({
      ...scene.agentSettings,
      API_KEY: key,
      SERVER_URL: scene.account.baseUrl,
      ...environment,
    })
    agents.push(started)
    return started
  }

  async function monitor(path: string, settings: object = {}): Promise<string> {
    const check = await scene.account.call(createUrlMonitor, {
      body: {
        name: path,
        ...onDemandOnly,
        locations: [],
        privateLocations: [slugName],
        doubleCheck: false,
        maxResponseTime: 30_000,
        degradedResponseTime: 30_000,
        request: { url: site.url(path) },
        ...settings,
      },
    })
    return check.id
  }

  async function trigger(checkId: string): Promise<string> {
    const { sessions } = await scene.account.call(triggerCheckSessions, {
      body: { target: { checkId: [checkId] } },
    })
    return sessions[0]?.checkSessionId as string
  }

  const location = () => scene.account.call(getPrivateLocation, { params: { id } })
  const coverage = async (checkId: string) =>
    (await scene.account.call(getCheckCoverage, { params: { id: checkId } })).totals

  it('is created over the API, and has no agent', async () => {
    const made = await scene.account.call(createPrivateLocation, { body: { name: 'Office Bern', slugName } })
    id = made.id
    key = made.keys[0]?.rawKey as string
    expect(await location()).toMatchObject({ slugName, agentCount: 0, lastSeen: null, runningAgents: [] })
    expect(JSON.stringify(await location())).not.toContain(key)
  })

  it('has its checks run by an agent with its key only', async () => {
    const { account } = scene
    const elsewhere = await monitor('/elsewhere', { locations: ['eu-west-1'], privateLocations: [] })
    const waiting = await trigger(await monitor('/waiting'))
    // The built-in agent ran its own checks, and didn't claim this one.
    expect(await account.run(elsewhere)).toMatchObject({ runLocation: 'eu-west-1', hasFailures: false })
    const params = { checkSessionId: waiting }
    expect(await account.call(getCheckSession, { params })).toMatchObject({ results: [], stoppedAt: null })
    expect(site.seen('/waiting')).toEqual([])

    agent = await startAgent()
    const session = await account.awaitSession(waiting)
    expect(session).toMatchObject({ status: 'PASSED', runLocations: [slugName] })
    expect(session.results).toMatchObject([{ runLocation: slugName, hasFailures: false }])
    expect(site.seen('/waiting')).toHaveLength(1)
  })

  it('shows its agents', async () => {
    const report = await agent.report()
    const shown = await until('the agent to be seen', async () => {
      const seen = await location()
      return seen.agentCount === 1 && seen
    })
    expect(shown).toMatchObject({
      minAgentVersion: report.version,
      runningAgents: [
        {
          version: report.version,
          isOutdated: false,
          count: 1,
          agents: [{ id: report.agentId, lastSeenAt: expect.any(String) }],
        },
      ],
    })
    expect(Math.abs(Date.now() - Date.parse(shown.lastSeen ?? ''))).toBeLessThan(30_000)
    const second = await startAgent()
    await until('both agents', async () => (await location()).agentCount === 2)
    expect((await location()).runningAgents?.[0]?.agents).toHaveLength(2)
    expect(await second.terminate()).toBe(0)
  })

  it('has agents with health endpoints', async () => {
    expect(await agent.health('/-/readiness')).toBe(200)
    expect(await agent.health('/-/liveness')).toBe(200)
    expect(await agent.health('/health')).toBe(200)
    expect(await agent.report()).toMatchObject({ status: 'ok', isServerReachable: true, state: 'running' })
    expect(Math.abs((await agent.report()).clockOffsetMs as number)).toBeLessThan(5_000)
    expect(agent.log() + JSON.stringify(await agent.report())).not.toContain(key)
  })

  it('loses nothing when its agent stops: the run ends, no other begins, readiness is 503', async () => {
    const { account } = scene
    site.on('/slow', { delayMs: 8_000 })
    const slow = await trigger(await monitor('/slow'))
    await until('the run to be in progress', () => site.seen('/slow').length === 1)
    const stopped = agent.terminate()
    await until('the agent to drain', async () => (await agent.health('/-/readiness')) === 503, 7_000)
    expect(await agent.health('/-/liveness')).toBe(200)
    const late = await trigger(await monitor('/late'))
    expect(await account.awaitSession(slow)).toMatchObject({
      status: 'PASSED',
      results: [{ hasFailures: false }],
    })
    expect(await stopped).toBe(0)
    expect(site.seen('/slow')).toHaveLength(1)
    expect(site.seen('/late')).toEqual([])
    const params = { checkSessionId: late }
    expect(await account.call(getCheckSession, { params })).toMatchObject({ results: [], stoppedAt: null })

    agent = await startAgent()
    expect(await account.awaitSession(late)).toMatchObject({ status: 'PASSED' })
  })

  it('shows the loss of its agent, counts missed runs, and hands the lost run to the next agent', async () => {
    const { account } = scene
    const steady = await monitor('/steady', { frequency: 0, frequencyOffset: 10 })
    await until('a scheduled run', async () => (await coverage(steady)).executed > 0, 30_000)
    site.on('/lost', { fault: 'half-open' })
    const lost = await trigger(await monitor('/lost'))
    await until('the run to be in progress', () => site.seen('/lost').length === 1)
    const killedAt = Date.now()
    await agent.kill()
    site.on('/lost', {})

    await until('no agent to be left', async () => (await location()).agentCount === 0, 45_000)
    expect(Date.now() - killedAt).toBeGreaterThan(15_000)
    expect(await location()).toMatchObject({ runningAgents: [], minAgentVersion: null })
    expect(Date.parse((await location()).lastSeen ?? '')).toBeLessThan(killedAt + 2_000)
    expect(site.seen('/lost')).toHaveLength(1)
    await until('missed runs', async () => (await coverage(steady)).reasons.agent >= 2, 45_000)

    agent = await startAgent()
    const session = await account.awaitSession(lost)
    expect(session).toMatchObject({ status: 'PASSED', results: [{ runLocation: slugName }] })
    expect(session.results).toHaveLength(1)
    expect(site.seen('/lost')).toHaveLength(2)

    const executed = (await coverage(steady)).executed
    await until('scheduled runs to go on', async () => (await coverage(steady)).executed > executed, 30_000)
    const totals = await coverage(steady)
    expect(totals.missed).toBe(totals.reasons.agent)
    expect(totals.expected).toBe(totals.executed + totals.skipped + totals.missed)
    const runs = await account.call(listCheckResults, { params: { checkId: steady }, query: { limit: 100 } })
    expect(runs.every(({ runLocation }) => runLocation === slugName)).toBe(true)
    const slots = runs.map(({ scheduledAt }) => Date.parse(scheduledAt))
    const between = (Math.max(...slots) - Math.min(...slots)) / 10_000 + 1
    expect(totals.expected).toBeGreaterThanOrEqual(between)
    expect(totals.expected).toBeLessThanOrEqual(between + 1)
  })

  it('shows how long its queue was', async () => {
    const metrics = await until(
      'a minute to be measured',
      async () => {
        const found = await scene.account.call(getPrivateLocationMetrics, { params: { id } })
        return found.timestamps.length > 0 && found
      },
      75_000,
    )
    expect(metrics.timestamps.length).toBe(metrics.queueSize.length)
    expect(metrics.timestamps.length).toBe(metrics.oldestScheduledCheckRun.length)
    expect(Math.max(...metrics.queueSize)).toBeGreaterThanOrEqual(0)
  })
})

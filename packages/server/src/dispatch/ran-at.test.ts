import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notifyChannels } from '../alerting/decision/notify-channels.ts'
import { messageOf } from '../alerting/message/message-of.ts'
import { reasonOf } from '../alerting/message/wording.ts'
import { claimNotifications } from '../storage/alerts/notification-queue.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { refused, type Simulation, startSimulation } from '../testing/simulation.ts'

const minute = 60_000
let sim: Simulation

beforeAll(async () => {
  sim = await startSimulation()
})
afterAll(() => sim.close())

const get = async (path: string) => (await sim.api.alice.get(path)).body

describe('the agent that ran a check', () => {
  it('is in results, statuses, alerts and sessions, with the location of the check', async () => {
    const { id } = await sim.createCheck({ alertSettings: {}, useGlobalAlertSettings: false })
    const agent = sim.builtIn()
    const ranAt = { agentId: agent.id, agentName: 'vedette-1', isBuiltIn: true }
    sim.pass(minute)
    const [job] = await agent.claim({ agentName: ' vedette-1\n' })
    await agent.report({ ...(job as { token: string }), ...refused })

    const { entries } = await get(`/v2/check-results/${id}`)
    expect(entries).toMatchObject([{ runLocation: 'eu-west-1', ranAt }])
    expect(await get(`/v1/check-results/${id}/${entries[0].id}`)).toMatchObject({ ranAt })
    expect(await get(`/v1/check-statuses/${id}`)).toMatchObject({ lastRunLocation: 'eu-west-1', ranAt })
    sim.pass(1)
    expect(await get(`/v1/check-alerts/${id}`)).toMatchObject([{ runLocation: 'eu-west-1', ranAt }])

    const session = await sim.api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
    const { checkSessionId } = session.body.sessions[0]
    const test = await sim.api.alice.post('/v1/test-sessions/trigger', {
      name: 'A test',
      runLocation: 'eu-west-1',
      target: { checkId: [id] },
    })
    for (const run of await agent.claim({ agentName: 'vedette-1' })) await agent.report(run)
    expect((await get(`/v1/check-sessions/${checkSessionId}`)).results).toMatchObject([{ ranAt }])
    expect((await get(`/v1/test-sessions/${test.body.testSessionId}`)).results).toMatchObject([{ ranAt }])
  })

  it('is part of the reason in an alert message', async () => {
    const channel = await sim.api.alice.post('/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'hook', url: 'http://127.0.0.1:9/' },
    })
    const { id } = await sim.createCheck({
      alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
    })
    const agent = sim.builtIn()
    sim.pass(minute)
    for (const job of await agent.claim({ agentName: 'vedette-1' })) {
      await agent.report({ ...job, ...(job.checkId === id ? refused : {}) })
    }
    const { pool } = sim.api.store
    await inTransaction(pool, (client) => notifyChannels(client, sim.now()))
    const claimed = await claimNotifications(pool, {
      now: sim.now(),
      limit: 100,
      perChannel: 100,
      perFailingChannel: 1,
      failingChannels: 1,
      busy: [],
      leaseMs: 1000,
    })
    const notification = claimed.find(({ checkId }) => checkId === id)
    if (notification === undefined) throw new Error('No channel was notified')
    const message = messageOf(notification, {
      linkTo: (kind) => `http://vedette.test/r/${kind}`,
      analysis: null,
    })
    expect(message.runLocation).toBe('Ireland')
    expect(reasonOf(message)).toBe('It fails from Ireland (built-in agent): connection refused')
  })

  it('is the agent of the location, with its name', async () => {
    const { id } = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.pass(minute)
    for (const job of await agent.claim({ agentName: 'probe-1' })) await agent.report(job)
    expect((await get(`/v2/check-results/${id}`)).entries).toMatchObject([
      { ranAt: { agentId: agent.id, agentName: 'probe-1', isBuiltIn: false } },
    ])
  })

  it('has no name if its release does not send one', async () => {
    const { id } = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.pass(minute)
    for (const job of await agent.claim()) await agent.report(job)
    expect((await get(`/v1/check-statuses/${id}`)).ranAt).toEqual({
      agentId: agent.id,
      agentName: null,
      isBuiltIn: false,
    })
  })

  it('is the one that ran it, even if another process reports the result', async () => {
    const { id } = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    const successor = await sim.operator(['eu-west-1'])
    sim.pass(minute)
    for (const job of await agent.claim()) await successor.report(job)
    expect((await get(`/v2/check-results/${id}`)).entries).toMatchObject([{ ranAt: { agentId: agent.id } }])
  })

  it('is null for heartbeats', async () => {
    const { alice } = sim.api
    const created = await alice.post('/v1/checks/heartbeat', {
      name: 'A job',
      heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'minutes' },
    })
    expect(created.status, created.text).toBe(201)
    const { heartbeat, id } = created.body
    expect((await alice.get(new URL(heartbeat.pingUrl).pathname)).status).toBe(200)
    expect((await get(`/v2/check-results/${id}`)).entries).toMatchObject([{ ranAt: null }])
    expect((await get(`/v1/check-statuses/${id}`)).ranAt).toBeNull()
  })
})

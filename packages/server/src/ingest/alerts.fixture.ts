// The whole flow on a simulated clock: results come in over the agent routes, alerts and notifications are rows.
import { expect } from 'vitest'
import { decideDueAlerts } from '../alerting/decision/due.ts'
import { notifyChannels } from '../alerting/decision/notify-channels.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { type refused, type SimulatedAgent, type Simulation, startSimulation } from '../testing/simulation.ts'
import { decideOverdueParallelRuns } from './parallel-deadline.ts'

export const minute = 60_000
export const regions = ['eu-west-1', 'us-east-1', 'ap-south-1', 'eu-central-1']
export const degraded = { outcome: 'degraded', responseTimeMs: 9000 } as const
export const passed = {}

export type Outcome = typeof refused | typeof degraded | typeof passed

/** A check's own alert settings. */
export const own = (alertSettings: object) => ({ useGlobalAlertSettings: false, alertSettings })

export interface AlertWorld extends Simulation {
  /** Serves all regions. */
  agent: SimulatedAgent
  /** Reports these outcomes for the next runs of the check, in each of its locations; other checks pass. */
  run(checkId: string, ...outcomes: Outcome[]): Promise<void>
  /** Decides what is due without a result. */
  due(): Promise<void>
  /** Decides parallel runs whose deadline has passed. */
  overdue(): Promise<void>
  alertsOf(checkId: string): Promise<string[]>
  sentTo(channelId: number, checkId: string): Promise<string[]>
  channel(switches?: Record<string, unknown>): Promise<number>
  /** A check that notifies only these channels. */
  checkFor(channels: number[], settings?: Record<string, unknown>): Promise<string>
}

export async function startAlertWorld(environment: Record<string, string> = {}): Promise<AlertWorld> {
  const world = await startSimulation(undefined, environment)
  const { alice, store } = world.api
  const agent = await world.operator(regions)
  const isAlerting = world.api.config.ALERTS === 'on'
  /** As a loop of the server does. */
  async function notify() {
    while ((await inTransaction(store.pool, (client) => notifyChannels(client, world.now()))) > 0);
  }
  return {
    ...world,
    agent,
    async run(checkId, ...outcomes) {
      for (const outcome of outcomes) {
        world.pass(minute)
        const jobs = await agent.claim()
        for (const job of jobs)
          await agent.report({ ...job, ...(job.checkId === checkId ? outcome : passed) })
        await notify()
      }
    },
    async due() {
      await notify()
      await inTransaction(store.pool, (client) => decideDueAlerts(client, world.now()))
    },
    async overdue() {
      const context = { now: world.now(), isAlerting }
      await inTransaction(store.pool, (client) => decideOverdueParallelRuns(client, context))
    },
    async alertsOf(checkId) {
      const { rows } = await store.pool.query<{ text: string }>(
        `select alert_type || coalesce(' (' || held_by || ')', '') as text from check_alerts where check_id = $1
         order by created_at, scheduled_at`,
        [checkId],
      )
      return rows.map(({ text }) => text)
    },
    async sentTo(channelId, checkId) {
      await notify()
      const { rows } = await store.pool.query<{ text: string }>(
        `select a.alert_type || case when n.is_reminder then ' reminder ' || n.reminder_sequence else '' end as text
         from alert_notifications n join check_alerts a on a.check_id = n.check_id and a.id = n.check_alert_id
         where n.alert_channel_id = $1 and n.check_id = $2 order by n.place`,
        [channelId, checkId],
      )
      return rows.map(({ text }) => text)
    },
    async channel(switches = {}) {
      const created = await alice.post('/v1/alert-channels', {
        type: 'WEBHOOK',
        config: { name: 'hook', url: 'http://127.0.0.1:9/' },
        ...switches,
      })
      expect(created.status, created.text).toBe(201)
      return created.body.id
    },
    async checkFor(channels, settings = {}) {
      const { id } = await world.createCheck({
        frequencyOffset: undefined,
        alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: true })),
        ...settings,
      })
      return id
    },
  }
}

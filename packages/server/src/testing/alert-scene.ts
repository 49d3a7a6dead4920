// Alerts as the app shows them: channels in every state of health, what was sent and held back, an alarm, maintenance windows.
import { randomUUID } from 'node:crypto'
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { markChannelFailing } from '../storage/alerts/channel-health.ts'
import { insertAlert, insertNotification } from './alerts.ts'
import type { TestApi } from './api.ts'

export interface AlertScene {
  channelId: number
  webhookId: number
  windowId: number
}

type Post = (path: string, body: Record<string, unknown>) => Promise<{ id: number }>

interface SceneChecks {
  failing: { checkId: string; resultId: string }
  mutedId: string
  groupId: number
}

export async function addAlertScene(
  { store, alice: { accountId } }: TestApi,
  post: Post,
  { failing, mutedId, groupId }: SceneChecks,
): Promise<AlertScene> {
  const now = Date.now()
  const { checkId, resultId } = failing
  const email = await post('/v1/alert-channels', {
    ...{ type: 'EMAIL', config: { address: 'oncall@example.com' }, sendDegraded: true, autoSubscribe: true },
    ...{
      sslExpiry: true,
      subscriptions: [
        { checkId, activated: true },
        { groupId, activated: true },
      ],
    },
  })
  const webhook = await post('/v1/alert-channels', {
    type: 'WEBHOOK',
    config: {
      ...{
        name: 'Pager',
        url: 'https://hooks.example.com/T0/secret',
        method: 'POST',
        webhookSecret: 'signing-secret',
      },
      template: '{\n  "title": "{{ALERT_TITLE}}",\n  "link": "{{RESULT_LINK}}"\n}',
      headers: [{ key: 'x-team', value: 'shop', locked: false }],
    },
    subscriptions: [{ groupId, activated: true }],
  })
  await post('/v1/alert-channels', { type: 'SLACK_APP', config: { slackChannels: ['#shop'] } })
  await markChannelFailing(store.pool, webhook.id, {
    ...{
      failure: 'The channel responded with status 404 (no such hook).',
      isRefusing: true,
      now: now - hourMs,
    },
  })
  const of = { account_id: accountId, check_id: checkId, check_type: 'URL' as const }
  const error = 'Expected status 200, got 503.'
  const alert = (minutesAgo: number, part: object) =>
    insertAlert(store.db, {
      ...{ ...of, at: now - minutesAgo * minuteMs, name: 'Checkout', run_location: 'eu-central-1', error },
      ...{ result_id: resultId, ...part },
    })
  const failure = await alert(48, { alert_type: 'ALERT_FAILURE' })
  await alert(49, { alert_type: 'NO_ALERT', kind: null, held_by: 'threshold' })
  await alert(130, {
    ...{ check_id: mutedId, name: 'Product images', alert_type: 'NO_ALERT', kind: null, held_by: 'muted' },
  })
  await alert(60 * 26, { alert_type: 'ALERT_RECOVERY', kind: 'recovery', error: null })
  const notify = (minutesAgo: number, part: object) =>
    insertNotification(store.db, {
      ...{ ...of, at: now - minutesAgo * minuteMs, alert_channel_id: email.id, check_alert_id: failure },
      ...{
        result_id: resultId,
        notification_result: 'The mail server accepted the email (250 Ok).',
        ...part,
      },
    })
  await notify(48, {})
  await notify(48, {
    ...{ alert_channel_id: webhook.id, type: 'WEBHOOK', status: 'FAILURE', attempts: 6 },
    notification_result: 'The channel responded with status 404 (no such hook).',
  })
  await notify(18, { is_reminder: true })
  const checks = ['Checkout', 'Orders API']
  await store.pool.query(
    `insert into location_alarms (id, account_id, queue, kind, location, check_count, facts, opened_at, resolved_at, cause)
     values ($1, $2, 'us-east-1', 'no_agent', 'us-east-1', 2, $3, $4, $5, 'no_agent')`,
    [randomUUID(), accountId, { checks }, new Date(now - 7 * hourMs), new Date(now - 6 * hourMs)],
  )
  const windowId = await addWindows(post, now)
  return { channelId: email.id, webhookId: webhook.id, windowId }
}

async function addWindows(post: Post, now: number): Promise<number> {
  const day = new Date(now)
  day.setUTCHours(2, 0, 0, 0)
  const at = (days: number, hours: number) =>
    new Date(day.getTime() + days * dayMs + hours * hourMs).toISOString()
  // Never open today: checks of the scene are failing, not in maintenance, at any hour.
  const weekly = await post('/v1/maintenance-windows', {
    ...{ name: 'Weekly release', tags: ['web'], silenceAlertsTags: ['web'], timezone: 'Europe/Berlin' },
    ...{ startsAt: at(-19, 0), endsAt: at(-19, 2), repeatInterval: 1, repeatUnit: 'WEEK' },
    description: 'A new version of the shop is installed.',
  })
  await post('/v1/maintenance-windows', {
    ...{ name: 'Database upgrade', tags: ['jobs'], silenceAlertsTags: ['jobs'] },
    ...{ startsAt: new Date(now - hourMs).toISOString(), endsAt: new Date(now + hourMs).toISOString() },
  })
  await post('/v1/maintenance-windows', {
    ...{ name: 'Move to the new network', pauseAllChecks: true, silenceAllAlerts: true },
    ...{ startsAt: at(6, 0), endsAt: at(7, 6) },
  })
  return weekly.id
}

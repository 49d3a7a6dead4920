// What the log says of alerts, held against what the receivers took: each alert to each channel, once.
import { until } from '../until.ts'
import { type AlertGround, channelNames } from './alert-ground.ts'

export interface AlertBooks {
  alerts: number
  notifications: number
  /** By the receivers' own count. */
  taken: { webhook: number; mail: number }
  /** What the server had sent and heard no answer to when it was killed. */
  interrupted: number
  faults: string[]
}

export async function auditAlerts(ground: AlertGround, decisions: number): Promise<AlertBooks> {
  const { webhook, mail, checks } = ground
  const faults = [...webhook.receiver.faults, ...mail.faults]
  const alerts = await ground.alerts()
  if (alerts.length !== decisions * checks.length) faults.push(`${alerts.length} alerts were decided`)
  for (const { id, alertType } of alerts) {
    if (alertType !== 'ALERT_FAILURE' && alertType !== 'ALERT_RECOVERY') faults.push(`${id}: ${alertType}`)
  }
  const taken = {
    webhook: webhook.receiver.messages.map(({ id }) => id),
    // The id of the message comes first, then what stands for the recipient.
    mail: mail.mails.map(({ headers }) => headers['x-vedette-id']?.split('.')[0] ?? ''),
  }
  let notifications = 0
  for (const name of channelNames) {
    const log = await until('every delivery to be recorded', async () => {
      const all = await ground.log(name)
      return all.every(({ status }) => status !== 'IN_PROGRESS') && all
    })
    notifications += log.length
    for (const { id, status, checkAlertId } of log) {
      const times = taken[name].filter((one) => one === id).length
      if (times !== 1 || status !== 'SUCCESS') {
        faults.push(`${name}: ${id} of alert ${checkAlertId} was taken ${times} times, and is ${status}`)
      }
    }
    const told = log.map(({ checkAlertId }) => checkAlertId)
    for (const { id } of alerts) {
      const times = told.filter((one) => one === id).length
      if (times !== 1) faults.push(`${name}: alert ${id} was told ${times} times`)
    }
    if (taken[name].length !== log.length) faults.push(`${name}: ${taken[name].length} messages came`)
  }
  return {
    alerts: alerts.length,
    notifications,
    taken: { webhook: taken.webhook.length, mail: taken.mail.length },
    interrupted: webhook.receiver.held.length + mail.held.length,
    faults: [...faults, ...changedIds(ground)],
  }
}

export function tellBooks({ alerts, notifications, taken, interrupted, faults }: AlertBooks): string {
  return (
    `${alerts} alerts, ${notifications} notifications, ${taken.webhook} webhooks and ${taken.mail} mails taken, ` +
    `${interrupted} begun before a kill and sent again, ${faults.length} faults`
  )
}

/** What is sent again must be known by the same id. */
function changedIds({ webhook, mail }: AlertGround): string[] {
  const ids = new Set(webhook.receiver.messages.map(({ id }) => id))
  const calls = webhook.receiver.held.map(({ headers }) => String(headers['x-vedette-id']))
  const messageIds = new Set(mail.mails.map(({ messageId }) => messageId))
  const mails = mail.held.map(({ messageId }) => messageId)
  const changed = [
    ...calls.filter((id) => !ids.has(id)),
    ...mails.filter((messageId) => !messageIds.has(messageId)),
  ]
  return changed.map((id) => `${id} came back as another`)
}

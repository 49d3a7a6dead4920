// Compares the alert log with what the receivers accepted: each alert to each channel, once.
import { until } from '../until.ts'
import { type AlertGround, channelNames } from './alert-ground.ts'

export interface AlertBooks {
  alerts: number
  notifications: number
  /** As counted by the receivers. */
  accepted: { webhook: number; mail: number }
  /** Messages that the server had sent without a response when it was killed. */
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
  const accepted = {
    webhook: webhook.receiver.messages.map(({ id }) => id),
    // The id of the message comes first, then the recipient.
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
      const times = accepted[name].filter((one) => one === id).length
      if (times !== 1 || status !== 'SUCCESS') {
        faults.push(`${name}: ${id} of alert ${checkAlertId} was accepted ${times} times, and is ${status}`)
      }
    }
    const logged = log.map(({ checkAlertId }) => checkAlertId)
    for (const { id } of alerts) {
      const times = logged.filter((one) => one === id).length
      if (times !== 1) faults.push(`${name}: alert ${id} was sent ${times} times`)
    }
    if (accepted[name].length !== log.length) faults.push(`${name}: ${accepted[name].length} messages came`)
  }
  return {
    alerts: alerts.length,
    notifications,
    accepted: { webhook: accepted.webhook.length, mail: accepted.mail.length },
    interrupted: webhook.receiver.held.length + mail.held.length,
    faults: [...faults, ...changedIds(ground)],
  }
}

export function formatBooks({ alerts, notifications, accepted, interrupted, faults }: AlertBooks): string {
  return (
    `${alerts} alerts, ${notifications} notifications, ${accepted.webhook} webhooks and ${accepted.mail} mails accepted, ` +
    `${interrupted} begun before a kill and sent again, ${faults.length} faults`
  )
}

/** A message that is sent again must have the same id. */
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

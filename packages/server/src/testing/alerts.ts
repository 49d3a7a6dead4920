// Alerts and what was sent of them as bare rows: for tests of what reads them. Tests say only what they are about.
import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { timeOrderedId } from '../core/time-ordered-id.ts'
import type { Db } from '../storage/core/db.ts'
import type { Tables } from '../storage/core/tables.generated.ts'

type AlertValues = Insertable<Tables['check_alerts']>
type NotificationValues = Insertable<Tables['alert_notifications']>

export type SomeAlert = Pick<AlertValues, 'account_id' | 'check_id'> & Partial<AlertValues> & { at: number }

/** A failure of an API check in eu-west-1 by default; returns its id. */
export async function insertAlert(db: Db, { at, ...given }: SomeAlert): Promise<string> {
  const values = {
    id: timeOrderedId(at),
    check_type: 'API',
    alert_type: 'ALERT_FAILURE',
    kind: 'failure',
    name: 'A check',
    run_location: 'eu-west-1',
    response_time: 120,
    error: 'connection refused',
    status_code: null,
    scheduled_at: new Date(at),
    started_at: new Date(at),
    episode_at: new Date(at),
    facts: '{}',
    created_at: new Date(at),
    ...given,
  }
  await db.insertInto('check_alerts').values(values).execute()
  return values.id
}

export type SomeNotification = Pick<NotificationValues, 'account_id' | 'check_id' | 'alert_channel_id'> &
  Partial<NotificationValues> & { at: number }

/** A failure that a channel was notified of by mail by default; returns its id. */
export async function insertNotification(db: Db, { at, ...given }: SomeNotification): Promise<string> {
  const values = {
    id: randomUUID(),
    check_type: 'API',
    check_alert_id: randomUUID(),
    type: 'EMAIL',
    kind: 'failure',
    result_id: randomUUID(),
    is_reminder: false,
    reminder_sequence: 0,
    status: 'SUCCESS',
    attempts: 1,
    tried_at: new Date(at),
    created_at: new Date(at),
    ...given,
  }
  await db.insertInto('alert_notifications').values(values).execute()
  return values.id
}

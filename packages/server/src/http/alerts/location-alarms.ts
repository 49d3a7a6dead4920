import { listLocationAlarms } from '@vedette/contracts'
import * as alarms from '../../storage/alerts/location-alarms.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeAlarm } from './serialize-alarm.ts'

export function locationAlarmRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listLocationAlarms, async ({ account, query }) => {
      const { items, total } = await alarms.listLocationAlarms(db, account.id, query)
      return { items: items.map(serializeAlarm), total }
    }),
  ]
}

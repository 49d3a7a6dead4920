// Writes due notices about maintenance to the outbox. The transaction that writes the emails also marks the notice as written, so
// each subscriber receives it once, however many servers run and whenever one is killed.
import { maintenanceKey } from '../../links/maintenance-key.ts'
import type { Client } from '../../storage/core/transaction.ts'
import {
  claimNoticeWindows,
  insertNotice,
  insertNoticeMails,
  listNotices,
  type NoticeWindow,
  scheduleNotices,
} from '../../storage/pages/maintenance-notices.ts'
import { type DueNotice, planNotices } from './due-notices.ts'

/** Returns how many windows were handled. */
export async function writeMaintenanceNotices(client: Client, now: number, limit: number): Promise<number> {
  const windows = await claimNoticeWindows(client, now, limit)
  for (const window of windows) {
    const plan = planNotices(window, await listNotices(client, window), now)
    for (const notice of plan.due) await writeNotice(client, window, notice, now)
    await scheduleNotices(client, window, plan)
  }
  return windows.length
}

async function writeNotice(
  client: Client,
  window: NoticeWindow,
  notice: DueNotice,
  now: number,
): Promise<void> {
  await insertNotice(client, window, notice, now)
  if (!notice.isMailed) return
  const { start, end, kind } = notice
  const facts = {
    key: maintenanceKey(window.id, start),
    notice: kind,
    maintenance: window.name,
    description: window.description,
    severity: window.visibility.severity,
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(end).toISOString(),
  }
  await insertNoticeMails(client, window, facts, now)
}

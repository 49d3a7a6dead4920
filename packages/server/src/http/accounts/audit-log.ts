import { ApiError, type AuditEntry, listAuditEntries, roleAllows } from '@vedette/contracts'
import type { z } from 'zod'
import * as log from '../../storage/accounts/audit-log.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function auditLogRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listAuditEntries, async ({ account, query }) => {
      if (query.resourceId === undefined && !roleAllows(account.role, 'ADMIN')) {
        throw new ApiError('forbidden', {
          message: `The whole log requires ADMIN or higher; the key has ${account.role}. Name a resourceId.`,
        })
      }
      const { from, to, ...rest } = query
      const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)
      const filter = { ...rest, from: inMs(from), to: inMs(to) }
      const page = await log.listAuditEntries(db, account.id, filter, readCursor(query))
      return serializePage(page, page.entries.map(serializeEntry))
    }),
  ]
}

function serializeEntry(row: log.AuditEntryRow): z.output<typeof AuditEntry> {
  const { id, created_at, source, address, operation, summary, action, outcome, changes } = row
  return {
    ...{ id, created_at, source, address, operation, summary, action, outcome, changes },
    requestId: row.request_id,
    actor: {
      kind: row.user_id === null ? 'service-key' : 'user',
      id: row.user_id ?? row.key_id ?? '',
      name: row.actor_name,
    },
    resource: { kind: row.resource_kind, id: row.resource_id, name: row.resource_name },
  }
}

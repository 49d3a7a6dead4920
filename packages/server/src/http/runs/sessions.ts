import { getSession, listSessions } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as sessions from '../../storage/runs/sessions.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function sessionRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listSessions, async ({ account, query }) => {
      const page = await sessions.listSessions(db, account.id, query, readCursor(query))
      return serializePage(page, page.entries)
    }),
    handle(getSession, async ({ account, params }) =>
      orNotFound(await sessions.findSession(db, account.id, params.sessionId)),
    ),
  ]
}

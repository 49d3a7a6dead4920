import { streamEvents } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { EventStream } from '../transport/event-stream.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function eventRoutes({ events }: Deps): Mounted[] {
  return [
    handle(streamEvents, async ({ account, query, request, isStillAllowed }) => {
      const lastEventId = request.headers['last-event-id']
      return new EventStream((sink) =>
        events.add({
          ...sink,
          accountId: account.id,
          checkIds: new Set(query.checkIds),
          lastEventId: lastEventId === undefined ? null : String(lastEventId),
          isAllowed: isStillAllowed,
        }),
      )
    }),
  ]
}

import { ApiError, streamEvents } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { EventStream } from '../transport/event-stream.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function eventRoutes({ events }: Deps): Mounted[] {
  return [
    handle(streamEvents, async ({ account, query, request, isStillAllowed }) => {
      if (events.isFull(account.id)) {
        const message = 'This account has too many open streams on this server.'
        throw new ApiError('rate_limited', { message, headers: { 'retry-after': '60' } })
      }
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

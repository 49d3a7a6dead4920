import { ApiError, watchTestSession } from '@vedette/contracts'
import { type ProgressEvent, watchProgress } from '../../dispatch/watch-progress.ts'
import type { Deps } from '../transport/deps.ts'
import { streamOf } from '../transport/event-stream.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { requireTestSession } from './read-test-session.ts'

/** Each stream reads the store once a second. */
const maxStreamsPerAccount = 20

export function testProgressRoutes(deps: Deps): Mounted[] {
  const open = new Map<string, number>()
  const count = (accountId: string, change: number) => {
    const streams = (open.get(accountId) ?? 0) + change
    if (streams === 0) open.delete(accountId)
    else open.set(accountId, streams)
  }
  async function* counted(accountId: string, events: AsyncIterable<ProgressEvent>) {
    count(accountId, 1)
    try {
      yield* events
    } finally {
      count(accountId, -1)
    }
  }
  return [
    handle(watchTestSession, async ({ account, params, request, signal, isStillAllowed }) => {
      const { id: sessionId } = await requireTestSession(deps, account, params.testSessionId)
      if ((open.get(account.id) ?? 0) >= maxStreamsPerAccount) {
        const message = `This account follows ${maxStreamsPerAccount} test sessions already. Close one of the streams.`
        throw new ApiError('rate_limited', { message, headers: { 'retry-after': '5' } })
      }
      const after = lastNumberOf(request.headers['last-event-id'])
      const { clock, log, progressEveryMs: everyMs } = deps
      const of = { accountId: account.id, sessionId, after }
      const events = counted(account.id, watchProgress({ db: deps.store.db, clock, everyMs }, of, signal))
      return streamOf(events, { isStillAllowed, log })
    }),
  ]
}

function lastNumberOf(id: string | string[] | undefined): number {
  const number = Number(id)
  return Number.isInteger(number) && number > 0 && number < 2 ** 31 ? number : 0
}

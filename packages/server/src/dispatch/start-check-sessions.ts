// People want a check run now. In: checks and where to run them. Out: one session each, and its runs in the queue.
import { randomUUID } from 'node:crypto'
import type { RunSource } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import {
  type CheckSessionRow,
  insertCheckSessions,
  type NewCheckSession,
} from '../storage/runs/check-sessions.ts'
import { insertSessionRuns } from '../storage/runs/session-runs.ts'
import type { ChosenCheck } from './choose-checks.ts'
import { sessionRunId } from './run-id.ts'

export interface CheckSessionRequest {
  accountId: string
  checks: readonly ChosenCheck[]
  runSource: RunSource
  refreshCache?: boolean
  environmentUrl?: string | undefined
  environmentName?: string | undefined
  /** How many of the checks run at once; absent: all. */
  concurrency?: number
}

/** In the order of the checks. Every check has at least one place. */
export async function startCheckSessions(
  client: Client,
  request: CheckSessionRequest,
  now: number,
): Promise<CheckSessionRow[]> {
  const { accountId, checks } = request
  const concurrency = request.concurrency ?? checks.length
  const ids = checks.map(() => randomUUID())
  const sessions = checks.map((check, index): NewCheckSession => {
    const id = ids[index] as string
    return {
      id,
      accountId,
      checkId: check.id,
      checkType: check.checkType,
      name: check.name,
      runSource: request.runSource,
      runLocations: check.places.map(({ location }) => location),
      options: {
        refreshCache: request.refreshCache ?? false,
        environmentUrl: request.environmentUrl ?? null,
        environmentName: request.environmentName ?? null,
        pending: check.places.map(({ location }) => sessionRunId(id, check.id, location)),
        // As many chains as may run at once: each session hands on to the next of its chain when it is over.
        next: ids[index + concurrency] ?? null,
      },
      startedAt: now,
    }
  })
  const rows = await insertCheckSessions(client, sessions)
  await insertSessionRuns(
    client,
    checks.flatMap((check, index) =>
      check.places.map(({ location, queue }) => ({
        accountId,
        checkId: check.id,
        sessionId: ids[index] as string,
        kind: 'check' as const,
        part: location,
        location,
        queue,
        askedAt: now,
        isWaiting: index >= concurrency,
      })),
    ),
  )
  return rows
}

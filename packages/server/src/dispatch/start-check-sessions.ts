// Starts check sessions. In: checks and where to run them. Out: one session for each check, and its queued runs.
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

/** In the order of the checks. Every check must have at least one location. */
export async function startCheckSessions(
  client: Client,
  request: CheckSessionRequest,
  now: number,
): Promise<CheckSessionRow[]> {
  const { accountId, checks } = request
  const concurrency = request.concurrency ?? checks.length
  const started = checks.map((check) => ({ check, id: randomUUID() }))
  const sessions = started.map(
    ({ check, id }, index): NewCheckSession => ({
      id,
      accountId,
      checkId: check.id,
      checkType: check.checkType,
      name: check.name,
      runSource: request.runSource,
      runLocations: check.runLocations.map(({ location }) => location),
      options: {
        refreshCache: request.refreshCache ?? false,
        environmentUrl: request.environmentUrl ?? null,
        environmentName: request.environmentName ?? null,
        pending: check.runLocations.map(({ location }) => sessionRunId(id, check.id, location)),
        // As many chains as sessions may run at once: the end of a session starts the next one of its chain.
        next: started[index + concurrency]?.id ?? null,
      },
      startedAt: now,
    }),
  )
  const rows = await insertCheckSessions(client, sessions)
  await insertSessionRuns(
    client,
    started.flatMap(({ check, id }, index) =>
      check.runLocations.map(({ location, queue }) => ({
        accountId,
        checkId: check.id,
        draftId: null,
        sessionId: id,
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

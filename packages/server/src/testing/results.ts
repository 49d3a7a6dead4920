// Results as a run leaves them, through the same functions: tests say only what they are about.
import { randomUUID } from 'node:crypto'
import { type RunDetail, resultMetrics } from '@vedette/contracts'
import { recordResults } from '../ingest/record.ts'
import { resultIdOf } from '../ingest/result-id.ts'
import type { RunResult } from '../ingest/run-result.ts'
import type { Store } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'

export type SomeResult = Pick<RunResult, 'accountId' | 'checkId' | 'scheduledAt'> &
  Partial<Omit<RunResult, 'detail'>> & { detail?: Partial<RunDetail> | string | null }

/** Returns their ids, in the order given. */
export async function insertResults(
  store: Pick<Store, 'pool'>,
  results: readonly SomeResult[],
  now: number = Math.max(...results.map(({ scheduledAt }) => scheduledAt)) + 5_000,
  detailSamplePercent?: number,
): Promise<string[]> {
  const whole = results.map(wholeResult)
  const context = { now, isAlerting: true, detailSamplePercent }
  await inTransaction(store.pool, (client) => recordResults(client, whole, context))
  return whole.map(({ scheduledAt, runId, attempt }) => resultIdOf(scheduledAt, runId, attempt))
}

/** As agents send a packet capture. */
export function pcapDataUrl(packets: Buffer): string {
  return `data:application/vnd.tcpdump.pcap;base64,${packets.toString('base64')}`
}

/** One with everything that a run can leave; returns its id. */
export async function insertFailedResult(
  store: Pick<Store, 'pool'>,
  accountId: string,
  checkId: string,
): Promise<string> {
  const failure = { kind: 'connect', message: 'connection refused', phase: 'connect' } as const
  const line = { time: 1, msg: 'hello', level: 'INFO' }
  const detail = {
    failure,
    observed: { requestError: failure.message },
    jobLog: { setup: [line], request: [line], teardown: [] },
    diagnostics: { pcapDataUrl: pcapDataUrl(Buffer.from('packets')) },
  }
  const scheduledAt = Date.now() - 60_000
  const failed = { accountId, checkId, scheduledAt, hasFailures: true, failure, detail, statusCode: null }
  const [id] = await insertResults(store, [failed])
  if (id === undefined) throw new Error('No result was recorded')
  return id
}

/** A passed API check in eu-west-1 by default. */
export function wholeResult(some: SomeResult): RunResult {
  const { detail = null, ...given } = some
  const checkType = some.checkType ?? 'API'
  const startedAt = some.startedAt ?? some.scheduledAt + 50
  const responseTimeMs = some.responseTimeMs === undefined ? 120 : some.responseTimeMs
  return {
    checkType,
    runId: randomUUID(),
    attempt: 1,
    source: 'schedule',
    ranAt: null,
    resultType: 'FINAL',
    location: 'eu-west-1',
    startedAt,
    stoppedAt: startedAt + (responseTimeMs ?? 0) + 5,
    responseTimeMs,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    statusCode: checkType === 'API' || checkType === 'URL' ? 200 : null,
    metrics: resultMetrics[checkType].map((_, index) => (index === 0 ? responseTimeMs : null)),
    sslDaysRemaining: null,
    failure: null,
    checkSessionId: null,
    parallel: null,
    ...given,
    detail: detail === null || typeof detail === 'string' ? detail : detailText(detail),
  }
}

function detailText(detail: Partial<RunDetail>): string {
  return JSON.stringify({ failure: null, assertions: [], observed: null, ...detail })
}

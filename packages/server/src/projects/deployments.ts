// Runs deployments in this process, one at a time for each project. Other servers see their progress in the store.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  minuteMs,
  type ProjectDeployment,
  type ProjectDeployResult,
  ProjectDeployResult as Result,
} from '@vedette/contracts'
import { z } from 'zod'
import type { Log } from '../core/log.ts'
import { openSemaphore } from '../core/semaphore.ts'
import { type Db, transact } from '../storage/core/db.ts'
import {
  endDeployment,
  extendLease,
  findProjectDeployment,
  insertProjectDeployment,
  type ProjectDeploymentRow,
  reportProgress,
  succeedDeployment,
} from '../storage/projects/project-deployments.ts'
import { type DeployOptions, deployProject, type ReportProgress, removeProject } from './deploy.ts'
import type { DeployContext } from './kinds/kind.ts'
import type { Prepared } from './prepare.ts'

const extendEveryMs = 5_000

/** Each holds two connections to the store. Others wait for their turn. */
const maxRunning = 2
const longestWaitMs = 30 * minuteMs

export interface Work {
  kind: 'DEPLOY' | 'DELETE'
  logicalId: string
  run(tx: Db, report: ReportProgress): Promise<ProjectDeployResult>
}

export function deployWork(context: DeployContext, prepared: Prepared, options: DeployOptions): Work {
  return {
    kind: 'DEPLOY',
    logicalId: prepared.project.logicalId,
    run: (tx, report) => deployProject(tx, context, prepared, options, report),
  }
}

export function removeWork(
  context: DeployContext,
  logicalId: string,
  options: Pick<DeployOptions, 'preservesResources'>,
): Work {
  return {
    kind: 'DELETE',
    logicalId,
    run: (tx, report) => removeProject(tx, context, logicalId, options, report),
  }
}

/** The deployment ends without a change. */
class Interrupted extends Error {
  readonly isCanceled: boolean
  constructor(isCanceled: boolean) {
    super(isCanceled ? 'canceled' : 'stopped')
    this.isCanceled = isCanceled
  }
}

export interface DeploymentsOptions {
  db: Db
  log: Log
  /** After a deployment: pages may have other hosts. */
  afterChange?: () => Promise<void>
}

export class Deployments {
  readonly #options: DeploymentsOptions
  readonly #running = new Set<Promise<void>>()
  readonly #turns = openSemaphore(maxRunning, longestWaitMs)
  #isStopping = false

  constructor(options: DeploymentsOptions) {
    this.#options = options
  }

  /** Returns at once. 409 with the id of the running one if there is one. */
  async start(accountId: string, work: Work): Promise<ProjectDeployment> {
    if (this.#isStopping) throw new ApiError('unavailable', { headers: { 'retry-after': '2' } })
    const row = await insertProjectDeployment(this.#options.db, accountId, work)
    if ('runningId' in row) {
      const message = 'Another deployment of this project is running. Wait for its end, or cancel it.'
      throw new ApiError('conflict', { message, extra: { deploymentId: row.runningId } })
    }
    const running = this.#run(accountId, row.id, work).catch((err: unknown) =>
      // The store can't be reached: the deployment is reaped when its lease is over.
      this.#options.log.error({ err, deploymentId: row.id }, 'deployment.not-ended'),
    )
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
    return serializeDeployment(row)
  }

  /** Running deployments end without a change. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#running)
  }

  async #run(accountId: string, id: string, work: Work): Promise<void> {
    const { db, log, afterChange } = this.#options
    const report: ReportProgress = async (done) => {
      const progress = Math.min(99, Math.floor(done * 100))
      const state = await reportProgress(db, accountId, id, progress)
      if (state === null || state.isCanceled || this.#isStopping)
        throw new Interrupted(state?.isCanceled === true)
    }
    const extending = setInterval(() => {
      extendLease(db, accountId, id).catch((err: unknown) =>
        log.warn({ err, deploymentId: id }, 'deployment.not-extended'),
      )
    }, extendEveryMs)
    const release = await this.#turns.acquire()
    try {
      if (release === null)
        throw new ApiError('unavailable', { message: 'Too many deployments are running.' })
      await report(0)
      await transact(db, async (tx) => {
        const result = await work.run(tx, report)
        if (!(await succeedDeployment(tx, accountId, id, result))) throw new Interrupted(true)
      })
      await afterChange?.().catch(() => undefined)
    } catch (error) {
      clearInterval(extending)
      await endDeployment(db, accountId, id, endOf(error))
      if (!(error instanceof ApiError || error instanceof Interrupted))
        log.error({ err: error, deploymentId: id }, 'deployment.failed')
    } finally {
      release?.()
      clearInterval(extending)
    }
  }
}

function endOf(error: unknown): Parameters<typeof endDeployment>[3] {
  if (error instanceof Interrupted && error.isCanceled) return { status: 'CANCELLED' }
  const known =
    error instanceof ApiError
      ? error
      : error instanceof Interrupted
        ? new ApiError('unavailable', {
            message: 'The server was stopped. Nothing was changed: deploy again.',
          })
        : new ApiError('internal')
  const { status: statusCode, message, attributes } = known
  return { status: 'FAILED', error: { statusCode, message, attributes } }
}

const StoredError = z.object({
  statusCode: z.int(),
  message: z.string(),
  attributes: z.record(z.string(), z.unknown()),
})
const Status = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])

export function serializeDeployment(row: ProjectDeploymentRow): ProjectDeployment {
  return {
    id: row.id,
    logicalId: row.project_logical_id,
    status: Status.parse(row.status),
    dryRun: false,
    progress: row.progress,
    error: StoredError.nullable().parse(row.error),
    result: Result.nullable().parse(row.result),
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    cancelRequestedAt: row.cancel_requested_at,
  }
}

export function isOver({ status }: Pick<ProjectDeploymentRow, 'status'>): boolean {
  return status !== 'PENDING' && status !== 'RUNNING'
}

const lookEveryMs = 100

export interface WatchedDeployment {
  accountId: string
  logicalId: string
  deploymentId: string
}

/** The deployment each time that its progress changes, and at its end. Any server may run it. */
export async function* watchDeployment(
  db: Db,
  { accountId, logicalId, deploymentId }: WatchedDeployment,
  signal: AbortSignal,
): AsyncGenerator<ProjectDeploymentRow> {
  let shown = -1
  while (!signal.aborted) {
    const row = await findProjectDeployment(db, accountId, logicalId, deploymentId)
    if (row === null) return
    if (isOver(row) || row.progress !== shown) yield row
    if (isOver(row)) return
    shown = row.progress
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

import {
  ApiError,
  awaitProjectDeployment,
  cancelProjectDeployment,
  deleteProject,
  deployProject,
  followProjectDeployment,
  getProjectDeployment,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { ownHosts } from '../../core/own-hosts.ts'
import { previewDeployment, previewRemoval } from '../../projects/deploy.ts'
import {
  deployWork,
  isOver,
  removeWork,
  serializeDeployment,
  type WatchedDeployment,
  watchDeployment,
} from '../../projects/deployments.ts'
import { prepareDeployment } from '../../projects/prepare.ts'
import { findProjectDeployment, requestCancel } from '../../storage/projects/project-deployments.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { streamOf } from '../transport/event-stream.ts'
import { handle, type Mounted, ResponseWithStatus } from '../transport/mount.ts'

export function projectDeploymentRoutes(deps: Deps): Mounted[] {
  const { store, vault, clock, config, deployments } = deps
  const { db } = store
  const contextOf = ({ id: accountId, role }: AccountContext) => ({
    accountId,
    role,
    vault,
    clock,
    ownHosts: ownHosts(config),
  })
  const find = async (account: AccountContext, params: Omit<WatchedDeployment, 'accountId'>) =>
    orNotFound(await findProjectDeployment(db, account.id, params.logicalId, params.deploymentId))
  return [
    handle(deployProject, async ({ account, query, body }) => {
      const context = contextOf(account)
      const prepared = prepareDeployment(body)
      const options = { preservesResources: query.preserveResources, runsChecks: query.scheduleOnDeploy }
      // Also before a deployment: what is wrong already is a 400 at once.
      const preview = await previewDeployment(db, context, prepared, options)
      if (query.dryRun) return new ResponseWithStatus(200, preview)
      return deployments.start(account.id, deployWork(context, prepared, options))
    }),
    handle(deleteProject, async ({ account, params, query }) => {
      const options = { preservesResources: query.preserveResources }
      const preview = await previewRemoval(db, account.id, params.logicalId, options)
      const { logicalId } = params
      // Without a status, clients take it as done.
      if (preview === null)
        return new ResponseWithStatus(200, { project: { logicalId, name: logicalId }, diff: [] })
      if (query.dryRun) return new ResponseWithStatus(200, preview)
      return deployments.start(account.id, removeWork(contextOf(account), params.logicalId, options))
    }),
    handle(getProjectDeployment, async ({ account, params }) =>
      serializeDeployment(await find(account, params)),
    ),
    handle(awaitProjectDeployment, async ({ account, params, query, signal }) => {
      await find(account, params)
      const waiting = AbortSignal.any([signal, AbortSignal.timeout(query.maxWaitSeconds * 1000)])
      for await (const row of watchDeployment(db, { accountId: account.id, ...params }, waiting))
        if (isOver(row)) return serializeDeployment(row)
      const message = 'The deployment is still in progress: call again.'
      throw new ApiError('session_running', { message, headers: { 'retry-after': '1' } })
    }),
    handle(cancelProjectDeployment, async ({ account, params }) =>
      serializeDeployment(
        orNotFound(await requestCancel(db, account.id, params.logicalId, params.deploymentId)),
      ),
    ),
    handle(followProjectDeployment, async ({ account, params, signal, isStillAllowed }) => {
      await find(account, params)
      return streamOf(events(deps, { accountId: account.id, ...params }, signal), {
        isStillAllowed,
        log: deps.log,
      })
    }),
  ]
}

async function* events({ store }: Pick<Deps, 'store'>, watched: WatchedDeployment, signal: AbortSignal) {
  for await (const row of watchDeployment(store.db, watched, signal)) {
    if (isOver(row)) yield { event: 'complete', data: serializeDeployment(row) }
    else yield { event: 'progress', data: { progress: row.progress } }
  }
}

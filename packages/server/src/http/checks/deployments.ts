import {
  ApiError,
  createDeployment,
  deleteDeployment,
  invalidInput,
  listDeployments,
} from '@vedette/contracts'
import * as deployments from '../../storage/checks/deployments.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeDeployment } from './serialize-deployment.ts'

export function deploymentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(createDeployment, async ({ account, body }) => {
      const issues = await deployments.listMissingTargets(db, account.id, body)
      if (issues.length > 0) throw invalidInput(issues)
      const row = await deployments.insertDeployment(db, {
        account_id: account.id,
        environment_name: body.environmentName,
        environment_url: body.environmentUrl,
        repository: body.repository,
        sha: body.sha,
        deployment_id: body.deploymentId,
        check_id: body.checkId,
        group_id: body.groupId,
        created_at: new Date(clock.now()),
      })
      return serializeDeployment(row)
    }),
    handle(deleteDeployment, async ({ account, params }) => {
      if (!(await deployments.deleteDeployment(db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(listDeployments, async ({ account, query: { from, to, ...page } }) => {
      const { items, total } = await deployments.listDeployments(db, account.id, {
        ...page,
        from: from === undefined ? undefined : from * 1000,
        to: to === undefined ? undefined : to * 1000,
      })
      return { items: items.map(serializeDeployment), total }
    }),
  ]
}

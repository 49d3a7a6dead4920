import { createDeployment, type Deployment, invalidInput, listDeployments } from '@vedette/contracts'
import type { z } from 'zod'
import * as deployments from '../../storage/checks/deployments.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

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

function serializeDeployment(row: deployments.DeploymentRow): z.output<typeof Deployment> {
  return {
    id: row.id,
    environmentName: row.environment_name,
    environmentUrl: row.environment_url,
    repository: row.repository,
    sha: row.sha,
    deploymentId: row.deployment_id,
    checkId: row.check_id,
    groupId: row.group_id,
    created_at: row.created_at,
  }
}

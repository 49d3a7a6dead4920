import type { Deployment } from '@vedette/contracts'
import type { z } from 'zod'
import type { DeploymentRow } from '../../storage/checks/deployments.ts'

export function serializeDeployment(row: DeploymentRow): z.output<typeof Deployment> {
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

// All resources of an account, read through the API.
import type { AccountResources } from '@vedette/as-code/account-resources'
import type { Caller } from '../api.ts'

export async function readAccount(caller: Caller): Promise<AccountResources> {
  const read = async (path: string) => {
    const { status, body, text } = await caller.get(path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return body
  }
  const checks: { id: string }[] = await read('/v1/checks?limit=100')
  const { entries: statusPages } = await read('/v1/status-pages?limit=100')
  return {
    checks: await Promise.all(checks.map(({ id }) => read(`/v1/checks/${id}`))),
    checkGroups: await read('/v1/check-groups?limit=100'),
    alertChannels: await read('/v1/alert-channels?limit=100'),
    privateLocations: await read('/v1/private-locations'),
    maintenanceWindows: await read('/v1/maintenance-windows?limit=100'),
    dashboards: await read('/v1/dashboards?limit=100'),
    services: (await read('/v1/status-pages/services?limit=100')).entries,
    statusPages,
    automationRules: (
      await Promise.all(
        statusPages.map(({ id }: { id: string }) => read(`/v1/status-pages/${id}/automation-rules`)),
      )
    ).flat(),
    variables: await read('/v1/variables?limit=100'),
    snippets: await read('/v1/snippets?limit=100'),
    clientCertificates: await read('/v1/client-certificates'),
    triggers: await read('/v1/triggers?limit=100'),
  }
}

// Resources of the account as payloads of a deployment, with ids instead of references. Secret values are left out.
import { isRecord, type PhysicalId, type ResourceType } from '@vedette/contracts'
import { valuesOf as windowValues } from '../checks/change-maintenance-windows.ts'
import { valuesOf as dashboardValues } from '../pages/use-cases/change-dashboards.ts'
import { settingsOf } from '../pages/use-cases/change-status-pages.ts'
import { openSecrets } from '../storage/alerts/channel-secrets.ts'
import { openGroup } from '../storage/checks/check-groups.ts'
import { unpackCheck } from '../storage/checks/check-settings.ts'
import type { Db } from '../storage/core/db.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import { listAutomationRules } from '../storage/pages/automation-rules.ts'
import { cardsOf } from '../storage/pages/status-page-cards.ts'
import { componentName, listStatusPageComponents } from '../storage/pages/status-page-components.ts'
import { type Importable, readImportable } from '../storage/projects/importable.ts'

export interface ImportableResource {
  type: ResourceType
  physicalId: PhysicalId
  /** What its logical id is made of. */
  name: string
  payload: Record<string, unknown>
}

/** What others refer to comes first. */
export async function listImportable(
  db: Db,
  { accountId, vault }: { accountId: string; vault: Vault },
): Promise<ImportableResource[]> {
  const rows = await readImportable(db, accountId)
  return [
    ...rows.services.map(({ id, name }) => resource('status-page-service', id, name, { name })),
    ...(await pagesOf(db, accountId, rows)),
    ...rows.groups.map((row) => {
      const { created_at: _, updated_at: __, privateLocations: ___, ...group } = openGroup(vault, row)
      const environmentVariables = withoutSecrets(group.environmentVariables)
      return resource('check-group', row.id, row.name, { ...group, environmentVariables, v: 2 })
    }),
    ...rows.checks.map((row) => resource('check', row.id, row.name, checkPayload(vault, row))),
    ...rows.channels.map((row) => {
      const config = openSecrets(vault, accountId, row.config)
      const name = typeof config.name === 'string' ? config.name : row.type
      return resource('alert-channel', row.id, name, {
        type: row.type,
        config,
        sendRecovery: row.send_recovery,
        sendFailure: row.send_failure,
        sendDegraded: row.send_degraded,
        sslExpiry: row.ssl_expiry,
        sslExpiryThreshold: row.ssl_expiry_threshold,
      })
    }),
    ...rows.subscriptions.map((row) => {
      const target = row.check_id === null ? { groupId: row.group_id } : { checkId: row.check_id }
      const { alert_channel_id: alertChannelId, activated } = row
      return resource('alert-channel-subscription', row.id, `subscription-${row.id}`, {
        alertChannelId,
        ...target,
        activated,
      })
    }),
    ...rows.windows.map((row) => resource('maintenance-window', row.id, row.name, { ...windowValues(row) })),
    ...rows.locations.map((row) =>
      resource('private-location', row.id, row.slug_name, {
        name: row.name,
        slugName: row.slug_name,
        icon: row.icon,
      }),
    ),
    ...assignmentsOf(rows),
    ...rows.dashboards.map((row) =>
      resource('dashboard', row.id, row.custom_url ?? row.dashboard_id, { ...dashboardValues(row) }),
    ),
  ]
}

function resource(
  type: ResourceType,
  physicalId: PhysicalId,
  name: string,
  payload: Record<string, unknown>,
): ImportableResource {
  return { type, physicalId, name, payload: { ...payload, id: physicalId } }
}

function checkPayload(vault: Vault, row: Importable['checks'][number]): Record<string, unknown> {
  const values: Record<string, unknown> = unsealDeep(vault, row.account_id, unpackCheck(row))
  const { privateLocations: _, mutedUntil: __, ...payload } = values
  payload.environmentVariables = withoutSecrets(values.environmentVariables)
  if (isRecord(values.heartbeat)) {
    const { pingToken: ___, ...heartbeat } = values.heartbeat
    payload.heartbeat = heartbeat
  }
  const { dependencies } = row
  if (Array.isArray(dependencies)) payload.dependencies = dependencies
  if (payload.environmentVariables === undefined) delete payload.environmentVariables
  return payload
}

function withoutSecrets(variables: unknown): unknown {
  if (!Array.isArray(variables)) return variables
  return variables.map((variable: unknown) =>
    isRecord(variable) && variable.secret ? { ...variable, value: '' } : variable,
  )
}

async function pagesOf(db: Db, accountId: string, { pages }: Importable): Promise<ImportableResource[]> {
  const all: ImportableResource[] = []
  for (const page of pages) {
    const components = await listStatusPageComponents(db, accountId, [page.id])
    const { url, name, custom_domain: customDomain } = page
    const shared = { name, url, customDomain, ...settingsOf(page) }
    if (page.version !== 3) {
      const cards = cardsOf(components).map(({ component, services }) => ({
        id: component.id,
        name: componentName(component),
        services: services.map((service) => ({ id: service.id, name: service.name })),
      }))
      all.push(resource('status-page', page.id, url, { ...shared, cards }))
      continue
    }
    all.push(resource('status-page', page.id, url, { ...shared, version: 3 }))
    for (const component of components) {
      const shown = componentName(component)
      all.push(
        resource('status-page-component', component.id, `${url}-${shown}`, {
          statusPageId: page.id,
          parentId: component.parent_id,
          type: component.service_id === null ? 'GROUP' : 'SERVICE',
          name: shown,
          description: component.description,
          hidden: component.hidden,
          displayOrder: component.display_order,
          configuration: component.configuration,
        }),
      )
    }
    for (const rule of await listAutomationRules(db, accountId, page.id)) {
      all.push(
        resource('status-page-automation-rule', rule.id, `${url}-${rule.name}`, {
          statusPageId: page.id,
          name: rule.name,
          enabled: rule.enabled,
          tags: rule.tags,
          firstUpdate: rule.first_update,
          lastUpdate: rule.last_update,
          notifySubscribers: rule.notify_subscribers,
          coolDownWindowMinutes: rule.cool_down_minutes,
          components: rule.components,
        }),
      )
    }
  }
  return all
}

function assignmentsOf({ checks, groups, locations }: Importable): ImportableResource[] {
  const idOf = new Map(locations.map(({ id, slug_name }) => [slug_name, id]))
  const assign = (
    type: 'private-location-check-assignment' | 'private-location-group-assignment',
    target: { checkId: string } | { groupId: number },
    slugs: readonly string[] | null,
  ) =>
    (slugs ?? []).flatMap((slug): ImportableResource[] => {
      const privateLocationId = idOf.get(slug)
      if (privateLocationId === undefined) return []
      const id = 'checkId' in target ? target.checkId : target.groupId
      const physicalId = `${id}/${privateLocationId}`
      return [{ type, physicalId, name: `${slug}-${id}`, payload: { privateLocationId, ...target } }]
    })
  return [
    ...checks.flatMap((row) =>
      assign('private-location-check-assignment', { checkId: row.id }, row.private_locations),
    ),
    ...groups.flatMap((row) =>
      assign('private-location-group-assignment', { groupId: row.id }, row.private_locations),
    ),
  ]
}

// Reads all resources of an account.
import type { AccountResources } from '@vedette/as-code/account-resources'
import {
  type Client,
  getCheck,
  listAlertChannels,
  listCheckGroups,
  listChecks,
  listClientCertificates,
  listDashboards,
  listMaintenanceWindows,
  listPrivateLocations,
  listSnippets,
  listStatusPageAutomationRules,
  listStatusPageServices,
  listStatusPages,
  listTriggers,
  listVariables,
} from '@vedette/contracts'

const pageSize = 100
/** Requests at once: more don't make it faster. */
const concurrency = 8

export async function readAccount(
  client: Client,
  progress: (line: string) => void,
): Promise<AccountResources> {
  const listed = await readPages('checks', (page) =>
    client.call(listChecks, { query: { limit: pageSize, page } }),
  )
  // Lists don't have the files of scripts.
  const checks = await mapConcurrently(listed, (check) =>
    'script' in check || 'localSetupScript' in check
      ? client.call(getCheck, { params: { id: check.id }, query: { includeDependencies: true } })
      : Promise.resolve(check),
  )
  const statusPages = await readCursor('status pages', (nextId) =>
    client.call(listStatusPages, { query: { limit: pageSize, ...nextId } }),
  )
  const rules = await mapConcurrently(statusPages, ({ id }) =>
    client.call(listStatusPageAutomationRules, { params: { statusPageId: id } }),
  )
  return {
    checks,
    statusPages,
    automationRules: rules.flat(),
    services: await readCursor('services', (nextId) =>
      client.call(listStatusPageServices, { query: { limit: pageSize, ...nextId } }),
    ),
    checkGroups: await readPages('check groups', (page) =>
      client.call(listCheckGroups, { query: { limit: pageSize, page } }),
    ),
    alertChannels: await readPages('alert channels', (page) =>
      client.call(listAlertChannels, { query: { limit: pageSize, page } }),
    ),
    privateLocations: await client.call(listPrivateLocations),
    maintenanceWindows: await readPages('maintenance windows', (page) =>
      client.call(listMaintenanceWindows, { query: { limit: pageSize, page } }),
    ),
    dashboards: await readPages('dashboards', (page) =>
      client.call(listDashboards, { query: { limit: pageSize, page } }),
    ),
    variables: await readPages('variables', (page) =>
      client.call(listVariables, { query: { limit: pageSize, page } }),
    ),
    snippets: await readPages('snippets', (page) =>
      client.call(listSnippets, { query: { limit: pageSize, page } }),
    ),
    clientCertificates: await client.call(listClientCertificates),
    triggers: await readPages('triggers', (page) =>
      client.call(listTriggers, { query: { limit: pageSize, page } }),
    ),
  }

  async function readPages<T>(what: string, read: (page: number) => Promise<readonly T[]>): Promise<T[]> {
    const all: T[] = []
    for (let page = 1; ; page += 1) {
      const items = await read(page)
      all.push(...items)
      if (items.length === pageSize) progress(`Read ${all.length} ${what} …`)
      else break
    }
    progress(`Read ${all.length} ${what}.`)
    return all
  }

  async function readCursor<T>(
    what: string,
    read: (query: { nextId?: string }) => Promise<{ entries: readonly T[]; nextId: string | null }>,
  ): Promise<T[]> {
    const all: T[] = []
    let nextId: string | null = null
    do {
      const page = await read(nextId === null ? {} : { nextId })
      all.push(...page.entries)
      nextId = page.nextId
    } while (nextId !== null)
    progress(`Read ${all.length} ${what}.`)
    return all
  }
}

async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}

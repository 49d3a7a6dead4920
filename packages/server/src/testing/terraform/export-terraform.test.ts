// The export of an account as Terraform files: parsed, applied to an empty account as the provider's library sends it, and read back.
// The resources are those of the tables in testing/go-sdk: each whole, and each without what can be removed.
import type { AccountResources, ExportedFile } from '@vedette/as-code/account-resources'
import { exportTerraform } from '@vedette/as-code/export-terraform'
import { nameResources, type ResourceKind } from '@vedette/as-code/resource-names'
import { SecretNames } from '@vedette/as-code/secret-names'
import { createClientCertificate } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../api.ts'
import { tarGzOf } from '../archives.ts'
import { checkResources, type References } from '../go-sdk/checks.ts'
import { otherResources, type Pem } from '../go-sdk/others.ts'
import { type GoResource, marshal, marshalReduced } from '../go-sdk/resource.ts'
import { readAccount } from './read-account.ts'
import {
  createBody,
  orderByReferences,
  type ParsedFiles,
  type PlannedResource,
  parseTerraform,
  readSettings,
} from './terraform-plan.ts'

const pem = createClientCertificate.example as Pem
const lockedValue = 'planted-locked-value'
// biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the script, which Terraform must not expand
const script = 'const name = `${process.env.NAME}`\nconst pattern = /%{2}\\d+/\nEOT\n'

interface Export {
  resources: AccountResources
  files: ExportedFile[]
  secrets: SecretNames
}

let api: TestApi
let first: Export
let parsed: ParsedFiles
let second: Export

beforeAll(async () => {
  api = await startTestApi()
  await createAll(api.alice)
  first = await exportOf(api.alice)
  parsed = await parseTerraform(first.files)
  // The addresses of pages are unique over all accounts.
  for (const { dashboardId } of first.resources.dashboards) await remove(`/v1/dashboards/${dashboardId}`)
  for (const { id } of first.resources.statusPages) await remove(`/v1/status-pages/${id}`)
  const empty = await api.newAccount()
  await apply(empty)
  second = await exportOf(empty)
})
afterAll(() => api.close())

const remove = async (path: string) => expect((await api.alice.delete(path)).status).toBe(204)

async function exportOf(caller: Caller): Promise<Export> {
  const resources = await readAccount(caller)
  const secrets = new SecretNames()
  return { resources, secrets, files: exportTerraform(resources, nameResources(resources), secrets) }
}

/** As the library sends it. */
async function send(caller: Caller, path: string, body: unknown) {
  const {
    status,
    text,
    body: created,
  } = await caller.send('POST', path, JSON.stringify(body), {
    'x-checkly-source': 'TF',
    'x-checkly-account': caller.accountId,
    'content-type': 'application/json',
  })
  expect([path, status === 201 ? 201 : text]).toEqual([path, 201])
  return created
}

const uploadBundle = async (caller: Caller): Promise<string> =>
  (
    await caller.send('POST', '/next/checkly-storage/upload-code-bundle', tarGzOf({ 'package.json': '{}' }), {
      'content-type': 'application/octet-stream',
    })
  ).body.key

const goResources = (refs: References) => [...checkResources(refs), ...otherResources(refs, pem)]

const none: References = {
  ...{ groupId: 0, channelId: 0, snippetId: 0 },
  ...{ serviceId: '', privateLocation: '', codeBundle: '' },
}

/** What must differ between two resources of a kind. */
const distinct: Record<string, object> = {
  dashboard: { customUrl: 'reduced-dashboard' },
  'private location': { slugName: 'reduced' },
  'environment variable': { key: 'REDUCED' },
  'status page': { url: 'reduced-status' },
  'client certificate': { host: 'reduced.example.com' },
  'status page service': { name: 'Reduced' },
  snippet: { name: 'reduced' },
}

/** The provider accepts a script or a snippet, not both. */
const alternatives: Record<string, object> = {
  'check group, version 1': { setupSnippetId: null, localTearDownScript: null },
  'check group, version 2': { setupSnippetId: null, localTearDownScript: null },
}

/** As the library sends them. */
const emptyDefaults = { url: '', basicAuth: { username: '', password: '' } }

async function createAll(caller: Caller): Promise<void> {
  const make = (path: string, body: object) => send(caller, path, body)
  const refs: References = {
    groupId: (await make('/v2/check-groups', { name: 'Shop', apiCheckDefaults: emptyDefaults })).id,
    channelId: (await make('/v1/alert-channels', { type: 'EMAIL', config: { address: 'ops@example.com' } }))
      .id,
    snippetId: (await make('/v1/snippets', { name: 'sign-in', script })).id,
    serviceId: (await make('/v1/status-pages/services', { name: 'Checkout' })).id,
    privateLocation: (await make('/v1/private-locations', { name: 'Lab', slugName: 'lab' })).slugName,
    codeBundle: await uploadBundle(caller),
  }
  for (const { title, create, attributes } of goResources(refs)) {
    await make(create, { ...marshal(attributes), ...alternatives[title] })
    await make(create, { ...marshalReduced(attributes), ...distinct[title] })
  }
  await createComponentPage(make)
  await make('/v1/variables', { key: 'TOKEN', value: lockedValue, locked: true })
  const [check] = (await caller.get('/v1/checks')).body
  await make(`/v1/triggers/checks/${check.id}`, {})
  await make(`/v1/triggers/check-groups/${refs.groupId}`, {})
}

const palette = {
  ...{ bodyBackgroundColor: '#F9FAFB', headerBackgroundColor: '#FFFFFF', headerFontColor: '#151A1E' },
  ...{ titleFontColor: '#212930', bodyFontColor: '#475766', bodyFontColorMuted: '#60758A' },
  ...{ navigationFontColor: '#151A1E', linkFontColor: '#FF0000', cardBackgroundColor: '#FFFFFF' },
  ...{ borderColor: '#E0E5EB', primaryButtonBackgroundColor: '#151A1E', primaryButtonFontColor: '#FFFFFF' },
}

async function createComponentPage(make: (path: string, body: object) => Promise<{ id: string }>) {
  const { id } = await make('/v1/status-pages', {
    ...{
      name: 'Components',
      url: 'as-code-components',
      version: 3,
      description: 'All',
      allowIndexing: false,
    },
    ...{ supportLink: 'https://example.com/help', footerText: 'Example', themeColors: { light: palette } },
  })
  const page = `/v1/status-pages/${id}`
  const configuration = { expandedByDefault: false }
  const group = await make(`${page}/components`, { type: 'GROUP', name: 'Backend', configuration })
  const service = await make(`${page}/components`, {
    ...{ name: 'API', parentId: group.id, description: 'The public API', hidden: true, displayOrder: 3 },
    configuration: { showHistoricalData: false },
  })
  await make(`${page}/components`, { name: 'Website', parentId: group.id, displayOrder: 1 })
  const texts = { firstUpdate: 'We look into it.', lastUpdate: 'It works again.', tags: ['api'] }
  await make(`${page}/automation-rules`, {
    ...{ name: 'API down', ...texts, enabled: false, notifySubscribers: false, coolDownWindowMinutes: 0 },
    components: [{ componentId: service.id, targetImpact: 'MAJOR_OUTAGE' }],
  })
  await make(`${page}/automation-rules`, {
    ...{ name: 'Backend slow', ...texts },
    components: [{ componentId: group.id, targetImpact: 'DEGRADED_PERFORMANCE' }],
  })
}

/** The values of secrets, by their fields. */
const secretValues = new Map(
  Object.entries({
    basic_auth_password: 'p',
    ...{ webhook_secret: 's', api_key: 'k', service_key: 'k', private_key: pem.key },
    ...{ 'headers x-a': '1', 'query_parameters q': '2', AS_CODE: '1', TOKEN: lockedValue },
  }),
)

function secretValue(variable: string): string {
  const { resource, field } = first.secrets.list().find((one) => one.variable === variable.toUpperCase()) ?? {
    resource: '',
    field: '',
  }
  if (field === 'url')
    return resource.includes('Hook') ? 'https://example.com/hook' : 'https://hooks.slack.com/a'
  const value = secretValues.get(field)
  if (value === undefined) throw new Error(`No value for ${variable}: ${field} of ${resource}`)
  return value
}

async function apply(caller: Caller): Promise<void> {
  const created = new Map<string, Record<string, unknown>>()
  const bundle = { id: await uploadBundle(caller), metadata: 'abc' }
  const resolve = (expression: string): unknown => {
    if (expression.startsWith('var.')) return secretValue(expression.slice('var.'.length))
    const [type, name, attribute = ''] = expression.split('.')
    const { [attribute === 'slug_name' ? 'slugName' : attribute]: value } =
      created.get(`${type}.${name}`) ?? {}
    if (value === undefined) throw new Error(`${expression} isn't known`)
    return value
  }
  for (const planned of orderByReferences(parsed.resources)) {
    if (planned.resource === 'checkly_playwright_code_bundle') created.set(planned.address, bundle)
    else created.set(planned.address, await create(caller, planned, resolve))
  }
}

async function create(caller: Caller, planned: PlannedResource, resolve: (expression: string) => unknown) {
  const { resource, body } = planned
  if (resource === 'checkly_trigger_check') {
    return await send(caller, `/v1/triggers/checks/${resolve(idOf(body.check_id))}`, {})
  }
  if (resource === 'checkly_trigger_group') {
    return await send(caller, `/v1/triggers/check-groups/${resolve(idOf(body.group_id))}`, {})
  }
  if (resource.startsWith('checkly_status_page_v3')) return await createPart(caller, planned, resolve)
  const go = goResourceOf(planned)
  return await send(caller, go.create, createBody(planned, go, resolve))
}

/** By the routes of this server: it doesn't have those that the provider calls. */
async function createPart(
  caller: Caller,
  planned: PlannedResource,
  resolve: (expression: string) => unknown,
) {
  const settings = readSettings(planned, resolve)
  const part = planned.resource === 'checkly_status_page_v3_component' ? 'components' : 'automation-rules'
  return planned.resource === 'checkly_status_page_v3'
    ? await send(caller, '/v1/status-pages', { ...settings, version: 3 })
    : await send(caller, `/v1/status-pages/${settings.statusPageId}/${part}`, settings)
}

const idOf = (reference: unknown) => String(reference).slice(2, -1)

const titles: Record<string, string> = {
  checkly_check_group_v2: 'check group, version 2',
  checkly_dashboard: 'dashboard',
  checkly_maintenance_windows: 'maintenance window',
  checkly_private_location: 'private location',
  checkly_environment_variable: 'environment variable',
  checkly_snippet: 'snippet',
  checkly_client_certificate: 'client certificate',
  checkly_status_page_service: 'status page service',
  checkly_status_page: 'status page',
  checkly_playwright_check_suite: 'check playwright',
}

function goResourceOf({ resource, body }: PlannedResource): GoResource {
  const all = goResources(none)
  const channel = all.find(
    ({ title }) => title.startsWith('alert channel ') && title.slice(14).toLowerCase() in body,
  )
  const title =
    resource === 'checkly_check'
      ? `check ${String(body.type).replace('_', '').toLowerCase()}`
      : (titles[resource] ?? `check ${/^checkly_(\w+)_monitor$/.exec(resource)?.[1]}`)
  const found = resource === 'checkly_alert_channel' ? channel : all.find((one) => one.title === title)
  if (!found) throw new Error(`No table for ${resource}`)
  return found
}

describe('an export as Terraform files', () => {
  it.each([
    ...['checks', 'checkGroups', 'alertChannels', 'privateLocations', 'maintenanceWindows', 'dashboards'],
    ...[
      'services',
      'statusPages',
      'automationRules',
      'variables',
      'snippets',
      'clientCertificates',
      'triggers',
    ],
  ] as const)('recreates %s field by field', (kind) => {
    const expected = settingsOf(first.resources, kind)
    expect(expected.length).toBeGreaterThan(1)
    expect(settingsOf(second.resources, kind)).toEqual(expected)
  })

  it('of the new account is the same, but for the ids of imports', () => {
    const textOf = ({ files }: Export) => new Map(files.map(({ path, text }) => [path, text]))
    const [before, after] = [textOf(first), textOf(second)]
    before.delete('imports.tf')
    after.delete('imports.tf')
    expect(after).toEqual(before)
  })

  it('imports everything that the provider can import', () => {
    const imported = parsed.imports.map(({ to }) => idOf(to))
    const isImportable = ({ resource }: PlannedResource) =>
      !resource.startsWith('checkly_trigger') && resource !== 'checkly_playwright_code_bundle'
    expect(imported.toSorted()).toEqual(
      parsed.resources
        .filter(isImportable)
        .map(({ address }) => address)
        .toSorted(),
    )
    const { id: checkId = '' } = first.resources.checks[0] ?? {}
    expect(parsed.imports.map(({ id }) => id)).toContain(checkId)
  })

  it('declares a sensitive variable for each secret, and contains no value of one', () => {
    const names = first.secrets.list().map(({ variable }) => variable.toLowerCase())
    for (const name of names) expect(parsed.variables.get(name)).toMatchObject({ sensitive: true })
    const example = first.files.find(({ path }) => path === 'terraform.tfvars.example')?.text ?? ''
    for (const name of names) expect(example).toContain(`${name} = ""`)
    const all = first.files.map(({ text }) => text).join('\n')
    for (const planted of [lockedValue, pem.key.slice(40, 100), 'hooks.slack.com/a', 'example.com/hook']) {
      expect(all).not.toContain(planted)
    }
  })
})

const kindOf: Record<string, ResourceKind> = {
  groupId: 'check-group',
  alertChannelId: 'alert-channel',
  ...{ setupSnippetId: 'snippet', tearDownSnippetId: 'snippet' },
  ...{ serviceId: 'status-page-service', checkId: 'check', statusPageId: 'status-page' },
  componentId: 'status-page-component',
}

/** Ids, times, keys, and what the server observes. */
const observed = new Set([
  ...['id', 'created_at', 'updated_at', 'called_at', 'accountId', 'dashboardId', 'keys', 'token'],
  ...['pingToken', 'pingUrl', 'state', 'since', 'reason', 'lastState', 'lastRunAt', 'nextRunAt', 'parentId'],
  ...[
    'codeBundlePath',
    'cacheHash',
    'customDomainStatus',
    'subscriptions',
    'health',
    'alertChannels',
    'staleLocations',
  ],
])

/** With references by name, in the order of names. */
function settingsOf(resources: AccountResources, kind: keyof AccountResources): unknown[] {
  const names = nameResources(resources)
  const texts = resources[kind].map((one: object) =>
    JSON.stringify(kind === 'triggers' ? { ...one, url: '' } : one, (name, value: unknown) => {
      if (observed.has(name)) return undefined
      const target = kindOf[name]
      const isId = typeof value === 'string' || typeof value === 'number'
      return target && isId ? names.of(target, value)?.logicalId : value
    }),
  )
  return texts.toSorted().map((text) => JSON.parse(text))
}

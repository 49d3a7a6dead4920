import { expect, it } from 'vitest'
import { type AccountResources, type CodeBundles, noResources } from '../account-resources.ts'
import { nameResources } from '../resource-names.ts'
import { SecretNames } from '../secret-names.ts'
import { exportTerraform } from './export-terraform.ts'

// As the API reads them, without the fields that don't matter here.
const alertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } }
const check = { activated: true, useGlobalAlertSettings: true, alertSettings, frequency: 5, groupId: null }

function filesOf(
  resources: Record<string, unknown[]>,
  bundles: CodeBundles = new Map(),
): Record<string, string> {
  // The API has more fields than a test needs.
  const account = { ...noResources, ...resources } as AccountResources
  const files = exportTerraform(account, nameResources(account), new SecretNames(), bundles)
  return Object.fromEntries(files.map(({ path, text }) => [path, text]))
}

const monitor = {
  ...check,
  id: 'c1',
  checkType: 'URL',
  name: 'Shop',
  request: { url: 'https://example.com' },
}

it('names what the provider cannot set, in the file and in the README', () => {
  const files = filesOf({
    checks: [
      { ...monitor, mutedUntil: '2030-01-01T00:00:00.000Z', keepEvidence: 'ALL', retryStrategy: null },
      { ...monitor, id: 'c2', checkType: 'AGENTIC', name: 'Explorer' },
    ],
  })
  expect(files['checks.tf']).toContain('# The provider has no attribute for: mutedUntil, keepEvidence.')
  expect(files['README.md']).toContain(
    '- `checkly_url_monitor.shop` (check "Shop"): `mutedUntil`, `keepEvidence`',
  )
  expect(files['README.md']).toContain('- check "Explorer"')
  expect(files['checks.tf']).not.toContain('Explorer')
})

it('writes a double check as the retry that it is', () => {
  const doubled = { ...monitor, doubleCheck: true, retryStrategy: null }
  expect(filesOf({ checks: [doubled] })['checks.tf']).toContain('max_retries          = 1')
  expect(filesOf({ checks: [{ ...doubled, doubleCheck: false }] })['checks.tf']).toContain('"NO_RETRIES"')
})

it('writes the id of a resource that is not part of the export, and a reference otherwise', () => {
  const subscribed = { ...monitor, alertChannelSubscriptions: [{ alertChannelId: 7, activated: false }] }
  const channel = { id: 7, type: 'EMAIL', config: { address: 'ops@example.com' } }
  expect(filesOf({ checks: [subscribed] })['checks.tf']).toContain('channel_id = 7')
  expect(filesOf({ checks: [subscribed], alertChannels: [channel] })['checks.tf']).toContain(
    'channel_id = checkly_alert_channel.ops_example_com.id',
  )
})

it('makes a variable of locked headers and variables, and keeps none of their values', () => {
  const request = {
    url: 'https://example.com',
    headers: [
      { key: 'Authorization', value: 'planted-1', locked: true },
      { key: 'Accept', value: 'text/html', locked: false },
    ],
    basicAuth: { username: 'anna', password: 'planted-2' },
  }
  const files = filesOf({
    checks: [{ ...monitor, checkType: 'API', request }],
    variables: [{ key: 'TOKEN', value: null, locked: false, secret: true }],
    alertChannels: [
      { id: 1, type: 'SLACK', config: { url: 'https://planted-3.example.com', channel: '#a' } },
    ],
  })
  expect(files['checks.tf']).toContain('Authorization = var.shop_headers_authorization')
  expect(files['checks.tf']).toContain('Accept        = "text/html"')
  expect(files['environment_variables.tf']).toContain('value  = var.token_token')
  expect(files['terraform.tfvars.example']).toContain('shop_basic_auth_password = ""')
  expect(Object.values(files).join()).not.toContain('planted')
})

it('writes the archive of suites once, or a variable if there is none', () => {
  const suite = { ...check, checkType: 'PLAYWRIGHT', codeBundlePath: 'one' }
  const checks = [
    { ...suite, id: 'c1', name: 'First' },
    { ...suite, id: 'c2', name: 'Second' },
    { ...suite, id: 'c3', name: 'Third', codeBundlePath: 'gone' },
  ]
  const files = filesOf({ checks }, new Map([['one', { archive: new Uint8Array([1]), files: new Map() }]]))
  expect(Object.keys(files).filter((path) => path.startsWith('bundles/'))).toEqual(['bundles/first.tar.gz'])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Terraform
  const named = files['checks.tf']?.split('file = "${path.module}/bundles/first.tar.gz"')
  expect(named).toHaveLength(3)
  expect(files['checks.tf']).toContain('file = var.third_bundle')
  expect(files['variables.tf']?.match(/_bundle/g)).toHaveLength(1)
})

it('gives resources of one name different addresses', () => {
  const files = filesOf({ checks: [monitor, { ...monitor, id: 'c2', frequency: 10 }] })
  expect(files['imports.tf']).toContain('to = checkly_url_monitor.shop\n')
  expect(files['imports.tf']).toContain('to = checkly_url_monitor.shop_2\n')
})

it('writes a status page of components, and no service that a component creates', () => {
  const component = {
    ...{ statusPageId: 'p1', parentId: 'g1', type: 'SERVICE', name: 'API', description: null, hidden: false },
    ...{ displayOrder: 1, configuration: { showHistoricalData: false } },
  }
  const group = { ...component, id: 'g1', parentId: null, type: 'GROUP', name: 'All', configuration: {} }
  const page = { id: 'p1', name: 'Status', url: 'status', version: 3, allowIndexing: true }
  const rule = { id: 'r1', statusPageId: 'p1', name: 'Down', components: [{ componentId: 'k1' }] }
  const files = filesOf({
    services: [{ id: 's1', name: 'API' }],
    statusPages: [{ ...page, components: [group, { ...component, id: 'k1', serviceId: 's1' }] }],
    automationRules: [rule],
  })
  const text = files['status_pages.tf'] ?? ''
  expect(text).toContain('resource "checkly_status_page_v3" "status"')
  expect(text).toContain('checkly_status_page_v3_component.status_all.id')
  expect(text).toContain('component_id = checkly_status_page_v3_component.status_api.id')
  expect(text).not.toContain('checkly_status_page_service')
  expect(files['imports.tf']).toContain('id = "p1/k1"')
  expect(files['README.md']).toContain('- `checkly_status_page_v3.status`')
})

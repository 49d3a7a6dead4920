import { expect, it } from 'vitest'
import { resourceAsTerraform } from './resource-as-terraform.ts'

it('writes one resource with the ids of others, and a variable for a secret', () => {
  const channel = {
    ...{
      id: 7,
      type: 'OPSGENIE',
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
    },
    ...{
      sslExpiryThreshold: 30,
      config: { name: 'On call', apiKey: 'planted', region: 'EU', priority: 'P1' },
    },
  }
  expect(
    resourceAsTerraform('alert-channel', channel, 'On call'),
  ).toBe(`resource "checkly_alert_channel" "on_call" {
  send_recovery        = true
  send_failure         = true
  send_degraded        = false
  ssl_expiry           = false
  ssl_expiry_threshold = 30

  opsgenie {
    name     = "On call"
    api_key  = var.on_call_api_key
    region   = "EU"
    priority = "P1"
  }
}
`)
})

it('has no code for what the provider does not have', () => {
  expect(resourceAsTerraform('check', { checkType: 'AGENTIC', name: 'Explorer' }, 'Explorer')).toBeUndefined()
})

it('writes the archive of a suite beside it', () => {
  const suite = { checkType: 'PLAYWRIGHT', name: 'Shop', frequency: 30, browsers: ['chromium'] }
  const text = resourceAsTerraform('check', suite, 'Shop')
  expect(text).toContain('resource "checkly_playwright_code_bundle" "shop"')
  expect(text).toContain('metadata = checkly_playwright_code_bundle.shop.metadata')
})

it('writes the components of a status page as resources that name each other', () => {
  const component = {
    statusPageId: 'p',
    description: null,
    hidden: false,
    displayOrder: 0,
    configuration: {},
  }
  const page = {
    ...{ id: 'p', name: 'Status', url: 'status', version: 3, allowIndexing: true },
    components: [
      { ...component, id: 'g', type: 'GROUP', name: 'All', parentId: null },
      { ...component, id: 's', type: 'SERVICE', name: 'API', parentId: 'g', serviceId: 'x' },
    ],
  }
  const text = resourceAsTerraform('status-page', page, 'Status')
  expect(text).toContain('status_page_id = checkly_status_page_v3.status.id')
  expect(text).toContain('parent_id      = checkly_status_page_v3_component.all.id')
})

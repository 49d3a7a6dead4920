// The checks whose cost the capacity bench measures, one kind after the other. An agent makes all runs but those of heartbeats.
import type { CheckType } from '@vedette/contracts'
import type { Targets } from './capacity-targets.ts'

export interface MeasuredType {
  type: CheckType
  /** Of POST /v1/checks/{path}. */
  path: string
  body: object
  isCode: boolean
  /** A run takes seconds, and its cost for servers is too small to measure beside what they need without runs. */
  isSlow: boolean
  /** False: its packets don't pass a proxy. */
  countsTargetBytes: boolean
}

export function measuredTypes(targets: Targets): MeasuredType[] {
  const { plainPort, tlsPort, grpcPort, shopPort, dnsPort } = targets
  const url = `https://localhost:${tlsPort}/`
  const shop = `http://127.0.0.1:${shopPort}/`
  const assertions = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
    { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'ok' },
  ]
  const network = { isCode: false, isSlow: false, countsTargetBytes: true }
  const packets = { isCode: false, isSlow: true, countsTargetBytes: false }
  const code = { isCode: true, isSlow: true, countsTargetBytes: true }
  return [
    { ...network, type: 'API', path: 'api', body: { request: { method: 'GET', url, assertions } } },
    { ...network, type: 'TCP', path: 'tcp', body: { request: { hostname: '127.0.0.1', port: plainPort } } },
    {
      ...network,
      type: 'DNS',
      path: 'dns',
      body: {
        request: { query: 'bench.example.com', recordType: 'A', nameServer: '127.0.0.1', port: dnsPort },
      },
    },
    {
      ...packets,
      type: 'ICMP',
      path: 'icmp',
      // A busy machine loses packets.
      body: {
        request: { hostname: '127.0.0.1' },
        degradedPacketLossThreshold: 100,
        maxPacketLossThreshold: 100,
      },
    },
    {
      ...network,
      type: 'SSL',
      path: 'ssl',
      body: { request: { sslConfig: { hostname: 'localhost', port: tlsPort } } },
    },
    {
      ...network,
      type: 'GRPC',
      path: 'grpc',
      body: {
        request: { url: '127.0.0.1', port: grpcPort, grpcConfig: { mode: 'HEALTH', tls: false } },
      },
    },
    {
      ...packets,
      type: 'TRACEROUTE',
      path: 'traceroute',
      body: { request: { url: '127.0.0.1', protocol: 'ICMP', ptrLookup: false } },
    },
    {
      ...code,
      type: 'MULTI_STEP',
      path: 'multistep',
      body: {
        script: `import { test, expect } from '@playwright/test'
test('calls twice', async ({ request }) => {
  for (const path of ['', 'socks']) expect((await request.get('${shop}' + path)).ok()).toBe(true)
})`,
      },
    },
    {
      ...code,
      type: 'BROWSER',
      path: 'browser',
      body: {
        script: `import { test, expect } from '@playwright/test'
test('buys socks', async ({ page }) => {
  await page.goto('${shop}')
  await page.getByRole('link', { name: 'Socks' }).click()
  await page.getByLabel('Amount').fill('2')
  await page.getByRole('button', { name: 'Buy' }).click()
  await expect(page.getByText('2 in the cart')).toBeVisible()
})`,
      },
    },
    // The last one: rollups are made of its results.
    { ...network, type: 'URL', path: 'url', body: { request: { url } } },
  ]
}

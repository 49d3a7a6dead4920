import {
  createApiCheck,
  createIcmpMonitor,
  createPrivateLocation,
  createTcpMonitor,
  createUrlMonitor,
} from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentCommand } from '../../agent-process.ts'
import { deniedAddress, onDemandOnly, type Scene } from '../../scene.ts'
import { canHaveIslands, Island } from '../../target/island.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

const location = 'the-island'
const serverPort = 8000

/** Lost pings and names that don't resolve, in an isolated network, so that nothing leaves this machine. */
export function anIsland(scene: Scene): void {
  const island = new Island()
  let site: Site

  beforeAll(async () => {
    if (!canHaveIslands) return
    site = await Site.open()
    const { keys } = await scene.account.call(createPrivateLocation, {
      body: { name: 'The island', slugName: location },
    })
    const { AGENT_HEALTH_PORT: _, ...settings } = scene.agentSettings
    const key = { API_KEY: keys[0]?.rawKey as string, SERVER_URL: `http://127.0.0.1:${serverPort}` }
    const ports = { [serverPort]: scene.installation.port, 80: site.port }
    await island.settle(agentCommand, { ...settings, ...key }, ports)
    await until('the agent on the island', () => island.log().includes('agent.ready'), 60_000)
  }, 90_000)
  afterAll(async () => {
    await island.remove()
    await site?.shut()
  })

  const story = it.skipIf(!canHaveIslands)

  // On a busy machine a lookup takes seconds: the tests are about failures, not about slowness.
  const anyTime = { degradedResponseTime: null, maxResponseTime: null }
  const settings = {
    ...{ ...onDemandOnly, ...anyTime },
    ...{ locations: [], privateLocations: [location], doubleCheck: false },
  }

  // spec §4.21: the default port. No other program uses it here.
  story('has an agent that serves its health on port 8081', () => {
    expect(island.log()).toContain('"healthPort":8081')
  })

  story(
    'an ICMP monitor passes, degrades, fails with the loss, and recovers',
    { tags: ['story'] },
    async () => {
      const { account } = scene
      const { id } = await account.call(createIcmpMonitor, {
        body: {
          name: 'The beach',
          ...settings,
          request: {
            hostname: '127.0.0.1',
            pingCount: 6,
            assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '1000' }],
          },
          degradedPacketLossThreshold: 10,
          maxPacketLossThreshold: 90,
        },
      })
      const passed = await account.run(id)
      expect(passed).toMatchObject({
        runLocation: location,
        hasFailures: false,
        isDegraded: false,
        failure: null,
      })
      expect(passed.icmpCheckResult).toMatchObject({
        response: { resolvedIp: '127.0.0.1', packetsSent: 6, packetsReceived: 6, packetLoss: 0 },
      })
      expect(passed.metrics).toMatchObject({ packetLoss: 0, latencyAvg: expect.any(Number) })
      expect(await account.state(id)).toBe('passing')

      await island.send({ order: 'respond to pings', isResponding: false })
      await island.send({ order: 'respond to pings', isResponding: true, afterEchoes: 2 })
      const degraded = await account.run(id)
      expect(degraded).toMatchObject({
        hasFailures: false,
        isDegraded: true,
        failure: { kind: 'packet_loss' },
      })
      expect(degraded.metrics.packetLoss).toBeGreaterThanOrEqual(25)
      expect(await account.state(id)).toBe('degraded')

      await island.send({ order: 'respond to pings', isResponding: false })
      const failed = await account.run(id)
      expect(failed).toMatchObject({
        hasFailures: true,
        failure: { kind: 'packet_loss', phase: 'judge' },
        metrics: { packetLoss: 100, latencyAvg: null },
      })
      expect(await account.state(id)).toBe('failing')
      expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

      await island.send({ order: 'respond to pings', isResponding: true })
      expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
      expect(await account.state(id)).toBe('passing')

      const six = await account.call(createIcmpMonitor, {
        body: {
          name: 'The beach by IPv6',
          ...settings,
          request: { hostname: '::1', ipFamily: 'IPv6', pingCount: 1 },
        },
      })
      expect(await account.run(six.id)).toMatchObject({
        hasFailures: false,
        icmpCheckResult: { response: { resolvedIp: '::1', ipFamily: 'IPv6', packetLoss: 0 } },
      })
      const denied = await account.call(createIcmpMonitor, {
        body: { name: 'The reef', ...settings, request: { hostname: deniedAddress, pingCount: 1 } },
      })
      expect(await account.run(denied.id)).toMatchObject({ hasFailures: true, failure: { kind: 'blocked' } })
    },
  )

  story(
    'checks report why a name does not resolve, pass when it does, and mention IPv4 if IPv6 fails',
    async () => {
      const { account } = scene
      await island.send({ order: 'names', zone: { names: {} } })
      const url = 'http://shop.test/'
      const made = [
        await account.call(createUrlMonitor, { body: { name: 'URL', ...settings, request: { url } } }),
        await account.call(createApiCheck, {
          body: { name: 'API', ...settings, request: { method: 'GET', url } },
        }),
        await account.call(createTcpMonitor, {
          body: { name: 'TCP', ...settings, request: { hostname: 'shop.test', port: 80 } },
        }),
      ]
      for (const { id, name } of made) {
        const result = await account.run(id)
        expect(result, name).toMatchObject({
          hasFailures: true,
          failure: {
            kind: 'dns',
            phase: 'dns',
            code: 'ENOTFOUND',
            message: expect.stringContaining('shop.test'),
          },
        })
        expect(await account.state(id)).toBe('failing')
      }
      await island.send({ order: 'names', zone: { names: {}, trouble: 'SERVFAIL' } })
      expect(await account.run(made[0]?.id as string)).toMatchObject({
        hasFailures: true,
        failure: { kind: 'dns', phase: 'dns', code: 'ESERVFAIL' },
      })
      const both = { A: ['127.0.0.1'], AAAA: ['::1'] }
      await island.send({ order: 'names', zone: { names: { 'shop.test': both, 'both.test': both } } })
      for (const { id, name } of made) {
        expect(await account.run(id), name).toMatchObject({ hasFailures: false, failure: null })
        expect(await account.state(id)).toBe('passing')
      }
      expect(site.requests.map(({ headers }) => headers.host)).toEqual(['shop.test', 'shop.test'])

      const six = await account.call(createUrlMonitor, {
        body: { name: 'IPv6', ...settings, request: { url: 'http://both.test/', ipFamily: 'IPv6' } },
      })
      const result = await account.run(six.id)
      expect(result).toMatchObject({
        hasFailures: true,
        failure: { kind: 'connect', phase: 'connect', address: '[::1]:80', code: 'ECONNREFUSED' },
        diagnostics: { ipv4Fallback: { works: true, tried: [{ address: '127.0.0.1:80', failure: null }] } },
      })
      expect(JSON.stringify(result.diagnostics?.resolvers)).toContain('127.0.0.1')
    },
  )
}

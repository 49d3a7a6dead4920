// The short stories of one installation; the long ones are in check-runs.story.ts and code-checks.story.ts.
import { createPrivateLocation, createUrlMonitor, triggerCheckSessions } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentProcess } from '../agent-process.ts'
import { onDemandOnly, Scene } from '../scene.ts'
import { Site } from '../target/site.ts'
import { anIsland } from './check-runs/an-island.ts'
import { apiChecks } from './check-runs/api-checks.ts'
import { dnsMonitors } from './check-runs/dns-monitors.ts'
import { grpcMonitors } from './check-runs/grpc-monitors.ts'
import { heartbeatMonitors } from './check-runs/heartbeat-monitors.ts'
import { mistypedFields } from './check-runs/mistyped-fields.ts'
import { retries } from './check-runs/retries.ts'
import { schedule } from './check-runs/schedule.ts'
import { sessionsAndTriggers } from './check-runs/sessions-and-triggers.ts'
import { specEndpoints } from './check-runs/spec-endpoints.ts'
import { sslMonitors } from './check-runs/ssl-monitors.ts'
import { tcpMonitors } from './check-runs/tcp-monitors.ts'
import { urlMonitors } from './check-runs/url-monitors.ts'
import { variablesAndScripts } from './check-runs/variables-and-scripts.ts'
import { browserChecks } from './code-checks/browser-checks.ts'

// The stories don't depend on each other. Those that wait longest come first.
describe('check runs', { timeout: 180_000, concurrent: true }, () => {
  const scene = new Scene()
  beforeAll(() => scene.open(), 180_000)
  afterAll(() => scene.close())

  describe('a browser check', () => browserChecks(scene))
  describe('a scheduled check', () => schedule(scene))
  describe('a private location', () => privateLocation(scene))
  describe('a heartbeat monitor', () => heartbeatMonitors(scene))
  describe('a URL monitor', () => urlMonitors(scene))
  describe('in an isolated network', () => anIsland(scene))
  describe('an API check', () => apiChecks(scene))
  describe('an API check with variables and scripts', () => variablesAndScripts(scene))
  describe('a check with retries', () => retries(scene))
  describe('a TCP monitor', () => tcpMonitors(scene))
  describe('an SSL monitor', () => sslMonitors(scene))
  describe('a DNS monitor', () => dnsMonitors(scene))
  describe('a gRPC monitor', () => grpcMonitors(scene))
  describe('sessions and triggers', () => sessionsAndTriggers(scene))
  describe('a mistyped field', () => mistypedFields(scene))
  describe('the endpoints of the specification', () => specEndpoints(scene))
})

function privateLocation(scene: Scene): void {
  it('runs its checks when its agent is connected', async () => {
    const { account } = scene
    const site = await Site.open()
    const slugName = 'office'
    const { keys } = await account.call(createPrivateLocation, { body: { name: 'Office', slugName } })
    const check = await account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        name: 'From the office',
        ...onDemandOnly,
        doubleCheck: false,
        ...{ locations: [], privateLocations: [slugName], request: { url: site.url('/office') } },
      },
    })
    const { sessions } = await account.call(triggerCheckSessions, {
      body: { target: { checkId: [check.id] } },
    })
    expect(site.seen('/office')).toEqual([])
    const agent = await AgentProcess.start({
      ...scene.agentSettings,
      API_KEY: keys[0]?.rawKey as string,
      SERVER_URL: account.baseUrl,
      AGENT_RUNTIMES: 'none',
    })
    try {
      const ended = await account.awaitSession(sessions[0]?.checkSessionId as string)
      expect(ended).toMatchObject({ status: 'PASSED', runLocations: [slugName] })
      expect(site.seen('/office')).toHaveLength(1)
      expect(await agent.terminate()).toBe(0)
    } finally {
      await agent.remove()
      await site.shut()
    }
  })
}

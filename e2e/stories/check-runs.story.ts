import { afterAll, beforeAll, describe } from 'vitest'
import { Scene } from '../scene.ts'
import { anIsland } from './check-runs/an-island.ts'
import { apiChecks } from './check-runs/api-checks.ts'
import { dnsMonitors } from './check-runs/dns-monitors.ts'
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

// One installation for all stories, which don't depend on each other. Those that wait longest come first.
describe('check runs', { timeout: 180_000, concurrent: true }, () => {
  const scene = new Scene()
  beforeAll(() => scene.open(), 180_000)
  afterAll(() => scene.close())

  describe('a heartbeat monitor', () => heartbeatMonitors(scene))
  describe('a scheduled check', () => schedule(scene))
  describe('a URL monitor', () => urlMonitors(scene))
  describe('in an isolated network', () => anIsland(scene))
  describe('an API check', () => apiChecks(scene))
  describe('an API check with variables and scripts', () => variablesAndScripts(scene))
  describe('a check with retries', () => retries(scene))
  describe('a TCP monitor', () => tcpMonitors(scene))
  describe('an SSL monitor', () => sslMonitors(scene))
  describe('a DNS monitor', () => dnsMonitors(scene))
  describe('sessions and triggers', () => sessionsAndTriggers(scene))
  describe('a mistyped field', () => mistypedFields(scene))
  describe('the endpoints of the specification', () => specEndpoints(scene))
})

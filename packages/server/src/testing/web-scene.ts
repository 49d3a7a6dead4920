// An account as the app shows it: checks of several types with a day of results, one of them failing with all its evidence.
import { randomBytes } from 'node:crypto'
import { hourMs, minuteMs } from '@vedette/contracts'
import { expect } from 'vitest'
import { putIdentity } from '../storage/accounts/identities.ts'
import { insertPasskey, usePasskey } from '../storage/accounts/passkeys.ts'
import { type AlertScene, addAlertScene } from './alert-scene.ts'
import { startTestApi, type TestApi } from './api.ts'
import { createPageScene, type PageScene } from './page-scene.ts'
import { addPlaces, type Places } from './places-scene.ts'
import { insertResults, type SomeResult } from './results.ts'
import { giveTestPassword } from './sign-in.ts'
import { addTypes, seenCertificate } from './type-scene.ts'
import { createSettings, type SettingsScene } from './web-scene-settings.ts'

export interface WebScene {
  api: TestApi
  email: string
  /** Of the check that fails, and its last result. */
  failing: { checkId: string; resultId: string }
  groupId: number
  /** Checks by their type; those without are URL monitors and heartbeats. */
  types: Record<string, string>
  heartbeatId: string
  places: Places
  alerts: AlertScene
  pages: PageScene
  settings: SettingsScene
  close(): Promise<void>
}

const locations = ['eu-central-1', 'us-east-1']

const checks = [
  { name: 'Checkout', group: true, tags: ['web', 'production'], usualMs: 410, isFailing: true },
  { name: 'Storefront', group: true, tags: ['web', 'production'], usualMs: 240 },
  { name: 'Sign-in', group: true, tags: ['web'], usualMs: 180 },
  { name: 'Orders API', group: false, tags: ['api', 'production'], usualMs: 95 },
  { name: 'Search API', group: false, tags: ['api'], usualMs: 130, isDegraded: true },
  { name: 'Product images', group: false, tags: [], usualMs: 60, isMuted: true },
  { name: 'Newsletter', group: false, tags: ['marketing'], usualMs: 320, isPaused: true },
]

export async function openWebScene(): Promise<WebScene> {
  const api = await startTestApi()
  const end = Date.now()
  const post = async (path: string, body: Record<string, unknown>) => {
    const { status, text, body: made } = await api.alice.post(path, body)
    expect(status, text).toBeLessThan(300)
    return made
  }
  const group = await post('/v1/check-groups', { name: 'Shop', locations })
  let failing = { checkId: '', resultId: '' }
  const checkIds: string[] = []
  let mutedId = ''
  for (const [index, check] of checks.entries()) {
    const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }]
    const { id } = await post('/v1/checks/url', {
      ...{ name: check.name, tags: check.tags, locations, muted: check.isMuted ?? false },
      ...{ activated: !check.isPaused, request: { url: 'https://shop.example.com/checkout', assertions } },
      ...(check.group ? { groupId: group.id } : {}),
    })
    checkIds.push(id)
    const results: SomeResult[] = []
    for (let at = end - 24 * hourMs; at < end; at += 10 * minuteMs) {
      // A wave instead of chance: pictures are the same each time.
      const wave = 1 + 0.25 * Math.sin(at / (3 * hourMs) + index) + 0.1 * Math.sin(at / (40 * minuteMs))
      const isFailed = check.isFailing === true && end - at < 50 * minuteMs
      const isDegraded = check.isDegraded === true && end - at < 30 * minuteMs
      const result = runOf(Math.round(check.usualMs * wave), isFailed)
      const location = locations[results.length % 2]
      results.push({
        ...{ accountId: api.alice.accountId, checkId: id, scheduledAt: at, checkType: 'URL', isDegraded },
        ...(location === undefined ? {} : { location }),
        ...result,
        certificate: seenCertificate(results.length < 60 ? 9 : 89),
      })
    }
    const ids = await insertResults(api.store, results)
    if (check.isMuted) mutedId = id
    if (check.isFailing) failing = { checkId: id, resultId: ids.at(-1) ?? '' }
  }
  const heartbeat = await post('/v1/checks/heartbeat', {
    ...{ name: 'Nightly backup', tags: ['jobs'] },
    heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
  })
  await post('/v1/deployments', {
    environmentName: 'production',
    repository: 'acme/shop',
    sha: '9b1f5a3e6d0c',
  })
  const types = await addTypes(api, post, end)
  const places = await addPlaces(api, post, {
    checkIds: checkIds.slice(0, 4),
    failed: runOf(430, true),
    passed: runOf(120, false),
  })
  const alerts = await addAlertScene(api, post, { failing, mutedId, groupId: group.id })
  const pages = await createPageScene(post, end)
  const settings = await createSettings(api, { checkId: failing.checkId, groupId: group.id })
  const email = await giveTestPassword(api, api.alice.userId)
  await addFactors(api, email, end)
  return {
    api,
    email,
    failing,
    groupId: group.id,
    types,
    heartbeatId: heartbeat.id,
    places,
    alerts,
    pages,
    settings,
    close: () => api.close(),
  }
}

/** Without an authenticator app: the stories sign in by password alone. */
async function addFactors({ store, alice }: TestApi, email: string, now: number): Promise<void> {
  const userId = alice.userId ?? ''
  const device = { userId, counter: 0, transports: ['internal'], publicKey: randomBytes(77) }
  for (const [index, name] of ['Chrome on Linux', 'Security key in the safe'].entries()) {
    const credentialId = randomBytes(16)
    const made = now - (index + 3) * 24 * hourMs
    const passkey = await insertPasskey(store.db, { ...device, credentialId, name, now: made })
    if (index === 0) await usePasskey(store.db, passkey, 1, now - 2 * hourMs)
  }
  const subject = { issuer: 'https://id.example.com', subject: userId }
  await putIdentity(store.db, { ...subject, userId, email, now: now - 24 * hourMs })
}

/** With the evidence that an agent reports. */
export function runOf(totalMs: number, isFailed: boolean): Partial<SomeResult> {
  const status = isFailed ? 503 : 200
  const phases = { dns: 4, connect: 18, tls: 31, send: 1, wait: Math.round(totalMs * 0.8), receive: 6 }
  const assertion = {
    source: 'STATUS_CODE',
    comparison: 'EQUALS',
    target: '200',
    property: '',
    actual: status,
  }
  const failure = isFailed
    ? ({ kind: 'assertion', message: 'Expected status 200, got 503.', phase: 'judge' } as const)
    : null
  const body = isFailed ? { error: 'upstream timed out' } : { ok: true, items: 3 }
  return {
    ...{ responseTimeMs: totalMs, statusCode: status, hasFailures: isFailed, failure },
    metrics: [totalMs, 0, phases.dns, phases.connect + phases.tls, phases.wait, phases.receive],
    detail: {
      failure,
      assertions: [isFailed ? { ...assertion, error: 'is 503, not 200' } : assertion],
      observed: {
        request: {
          method: 'GET',
          url: 'https://shop.example.com/checkout',
          data: '',
          headers: { accept: '*/*' },
          params: {},
        },
        response: {
          ...{ status, statusText: isFailed ? 'Service Unavailable' : 'OK', body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json', server: isFailed ? 'nginx' : 'envoy' },
        },
        ...{
          requestError: null,
          ip: isFailed ? '203.0.113.9' : '203.0.113.7',
          tls: null,
          tried: [],
          redirects: [],
        },
        breakdown: phases,
      },
    },
  }
}

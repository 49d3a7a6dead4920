// One check of each type with a day of results and the evidence that its screen shows.
import { type CheckType, checkTypes, definitionOf, hourMs, minuteMs } from '@vedette/contracts'
import { arrangeMetrics } from '@vedette/contracts/runs'
import { createAgenticScripts } from './agentic-scripts.ts'
import type { TestApi } from './api.ts'
import { insertResults, type SomeResult } from './results.ts'

type Post = (path: string, body: Record<string, unknown>) => Promise<Record<string, unknown>>

interface Sample {
  body?: Record<string, unknown>
  /** `wave`: around 1. */
  metrics(wave: number, index: number): Record<string, number>
  observed(index: number, wave: number): Record<string, unknown>
  certificate?(index: number): SomeResult['certificate']
}

const locations = ['eu-central-1', 'us-east-1']

/** The run that finds the certificate renewed. */
const renewal = 96

/** As a run reports it, by the days until it expires. */
export function seenCertificate(days: number): SomeResult['certificate'] {
  return {
    chainSha256: days.toString(16).padStart(64, '0'),
    subject: 'CN=shop.example.com',
    issuer: "C=US, O=Let's Encrypt, CN=R11",
    validTo: Date.now() + days * 24 * hourMs,
  }
}

/** What a run of each type finds. */
const samples: Partial<Record<CheckType, Sample>> = {
  BROWSER: {
    body: { name: 'Buy a mug' },
    metrics: (wave) => ({
      ...{ responseTime: 5200 * wave, TTFB: 140 * wave, FCP: 940 * wave, LCP: 2300 * wave },
      ...{ CLS: 0.04 * wave, TBT: 190 * wave },
    }),
    observed: (index, wave) => ({
      tests: [
        test(
          ['', 'check.spec.ts', 'shop', 'buys a mug'],
          3900 * wave,
          index % 9 === 4 ? 'flaky' : 'expected',
          [
            ['opens the shop', 900 * wave],
            ['puts the mug into the cart', 700 * wave],
            ['pays', 1900 * wave],
            ['pays › enters the card', 800 * wave],
          ],
        ),
        test(['', 'check.spec.ts', 'shop', 'shows the imprint'], 400 * wave, 'expected', []),
      ],
    }),
  },
  MULTI_STEP: {
    body: { name: 'Order and cancel' },
    metrics: (wave) => ({ responseTime: 900 * wave }),
    observed: (_index, wave) => ({
      tests: [
        test(['', 'check.spec.ts', 'orders and cancels'], 880 * wave, 'expected', [
          ['POST /orders', 310 * wave],
          ['GET /orders/:id', 90 * wave],
          ['DELETE /orders/:id', 140 * wave],
        ]),
      ],
    }),
  },
  PLAYWRIGHT: {
    body: { name: 'Checkout suite' },
    metrics: (wave) => ({ responseTime: 48_000 * wave }),
    observed: (index, wave) => ({
      tests: [
        suiteTest(
          'pays by card',
          'checkout.spec.ts',
          9200 * wave,
          index % 20 === 3 ? 'unexpected' : 'expected',
        ),
        suiteTest('pays by invoice', 'checkout.spec.ts', 7400 * wave, index % 6 === 2 ? 'flaky' : 'expected'),
        suiteTest(
          'refuses an expired card with a message that names the card',
          'checkout.spec.ts',
          5100 * wave,
        ),
        suiteTest('keeps the cart', 'cart.spec.ts', 2600 * wave),
        suiteTest('imports old carts', 'cart.spec.ts', 0, 'skipped'),
      ],
    }),
  },
  TCP: {
    body: { name: 'Mail server' },
    metrics: (wave) => ({ total: 42 * wave, dns: 4, connection: 18 * wave, data: 20 * wave }),
    observed: () => ({}),
  },
  DNS: {
    body: { name: 'Mail exchange' },
    metrics: (wave) => ({ total: 14 * wave }),
    observed: (index) => ({
      response: { answer: { Answer: [{ data: index < 4 ? '10 mx1.example.com' : '10 mx2.example.com' }] } },
    }),
  },
  ICMP: {
    body: { name: 'Gateway' },
    metrics: (wave, index) => ({
      ...{ packetLoss: index % 30 === 7 ? 20 : 0, latencyMin: 9 * wave, latencyMax: 21 * wave },
      ...{ latencyAvg: 12 * wave, latencyStdDev: 2 },
    }),
    observed: () => ({}),
  },
  GRPC: {
    // Not the example: it uses a variable that isn't defined.
    body: {
      name: 'Price service',
      request: { url: 'grpc.example.com', port: 443, grpcConfig: { mode: 'HEALTH' } },
    },
    metrics: (wave) => ({
      ...{
        responseTime: 64 * wave,
        dns: 3,
        tcp: 12 * wave,
        tls: 21 * wave,
        firstByte: 25 * wave,
        download: 2,
      },
    }),
    observed: () => ({}),
  },
  SSL: {
    body: { name: 'Certificate of the shop' },
    metrics: (wave, index) => ({ handshakeTimeMs: 55 * wave, daysUntilExpiry: index < renewal ? 12 : 61 }),
    certificate: (index) => seenCertificate(index < renewal ? 12 : 61),
    observed: () => ({
      ...{ tlsVersion: 'TLS1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256', daysUntilExpiry: 61.4 },
      ...{ handshakeTimeMs: 55, chainTrusted: true, hostnameVerified: true },
      response: {
        certificate: certificate('shop.example.com', 'R11', '2027-01-16T08:00:00.000Z'),
        chain: [
          certificate('shop.example.com', 'R11', '2027-01-16T08:00:00.000Z'),
          certificate('R11', 'ISRG Root X1', '2027-03-12T23:59:59.000Z'),
        ],
      },
    }),
  },
  TRACEROUTE: {
    body: { name: 'Path to the shop' },
    metrics: (wave) => ({ responseTime: 23 * wave, hopCount: 5, packetLoss: 0 }),
    observed: () => ({
      response: {
        hops: ['192.0.2.1', '198.51.100.9', null, '198.51.100.33', '203.0.113.7'].map((ip, index) => ({
          ...{ hop_number: index + 1, main_ip: ip, main_host: index === 4 ? 'shop.example.com' : null },
          ...{ loss_percentage: ip === null ? 100 : index === 3 ? 20 : 0 },
          rtt: ip === null ? {} : { avg: 4 + index * 5, worst: 9 + index * 7 },
        })),
      },
    }),
  },
  AGENTIC: {
    body: { name: 'Shop in words' },
    metrics: (wave) => ({ responseTime: 21_000 * wave }),
    observed: () => ({ summary: 'The title says Example.' }),
  },
}

/** Returns their ids by type. */
export async function addTypes(api: TestApi, post: Post, end: number): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [type, { example }] of Object.entries(checkTypes)) {
    const sample = samples[isType(type) ? type : 'URL']
    if (!isType(type) || sample === undefined) continue
    const { id } = await post(`/v1/checks/${definitionOf(type).path}`, {
      ...{ ...example, locations, frequency: 10, tags: ['production'] },
      ...sample.body,
    })
    ids[type] = String(id)
    const results: SomeResult[] = []
    for (let at = end - 24 * hourMs; at < end; at += 10 * minuteMs) {
      const index = results.length
      const wave = 1 + 0.2 * Math.sin(at / (3 * hourMs) + type.length) + 0.1 * Math.sin(at / (40 * minuteMs))
      const metrics = arrangeMetrics(type, roundAll(sample.metrics(wave, index)))
      results.push({
        ...{ accountId: api.alice.accountId, checkId: String(id), scheduledAt: at, checkType: type, metrics },
        ...{
          location: locations[index % 2] ?? '',
          responseTimeMs: type === 'ICMP' ? null : (metrics[0] ?? null),
        },
        certificate: sample.certificate?.(index),
        detail: { observed: sample.observed(index, wave) },
      })
    }
    await insertResults(api.store, results)
  }
  const prompt = checkTypes.AGENTIC.example.prompt
  await createAgenticScripts(api.store, api.alice, { checkId: ids.AGENTIC ?? '', prompt, now: end })
  return ids
}

const isType = (word: string): word is CheckType => word in checkTypes

const roundAll = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * 100) / 100]))

function test(titlePath: string[], duration: number, outcome: string, steps: [string, number][]) {
  return {
    ...{ titlePath, duration, outcome },
    steps: steps.map(([title, ms]) => ({ title, duration: ms, hasFailed: false })),
  }
}

function suiteTest(testTitle: string, testFile: string, duration: number, outcome = 'expected') {
  return { testTitle, suitePath: [], projectName: 'chromium', testFile, duration, outcome, steps: [] }
}

function certificate(subjectCN: string, issuerCN: string, notAfter: string) {
  return { subjectCN, issuerCN, notAfter, keyAlgorithm: 'RSA', keySizeBits: 2048 }
}

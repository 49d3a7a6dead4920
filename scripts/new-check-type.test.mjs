// A new check type needs two files and three lines in lists. The test adds one to a copy of the packages.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceNode } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const definition = `
import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, numericComparisons } from './assertions.ts'
import { coreFields, offsetField, placementFields, readOf, retryFields, sharedIssues } from './base.ts'
import { milliseconds, networkRunLimitMs } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'

const sources = { ECHOES: { kind: 'number', name: 'the number of echoes', absent: 'There was no echo.' } }
const Assertion = assertion('EchoAssertion', numericComparisons, sources)
const request = z.object({ hostname: z.string(), assertions: z.array(Assertion).default([]) })
const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...offsetField,
  checkType: z.literal('ECHO').default('ECHO'),
  frequency: MonitorFrequency.default(10),
  request,
})

export const echoMonitor = {
  type: 'ECHO',
  path: 'echo',
  name: 'EchoMonitor',
  title: 'an echo monitor',
  input,
  read: z.object(readOf(input)).meta({ id: 'EchoMonitor' }),
  issues: sharedIssues,
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  metrics: { total: milliseconds(0, 'Total'), echoes: { index: 1, unit: 'count', label: 'Echoes' } },
  responseTimeMetric: 'total',
  summary: { responseTime: 'total' },
  analytics: { path: 'echo', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'echoCheckResult', schema: addition(NetworkCheckResult.nullable()) },
  timingMetric: 'vedette_echo_monitor_timing_seconds',
  example: { name: 'Canyon', request: { hostname: 'canyon.example.com' } },
}
`

const runner = `
export const echoMonitor = {
  type: 'ECHO',
  async run({ hostname }) {
    return {
      responseTimeMs: 5,
      failure: null,
      detail: { request: { hostname }, response: { echoes: 3 } },
      subjects: { ECHOES: { kind: 'number', value: 3 } },
    }
  },
  metrics: ({ responseTimeMs, detail }) => ({ total: responseTimeMs, echoes: detail?.response.echoes }),
  target: ({ hostname }) => ({ host: hostname, port: null }),
}
`

const newFiles = {
  'packages/contracts/src/checks/echo.ts': definition,
  'packages/agent/src/checks/echo.ts': runner,
}

const newLines = [
  [
    'packages/contracts/src/checks/index.ts',
    /^import .*agentic\.ts'$/m,
    "import { echoMonitor } from './echo.ts'",
  ],
  ['packages/contracts/src/checks/index.ts', /^ {2}AGENTIC: .*$/m, '  ECHO: echoMonitor,'],
  [
    'packages/agent/src/checks/index.ts',
    /^export .*api\.ts'$/m,
    "export { echoMonitor as ECHO } from './echo.ts'",
  ],
]

/** Prints the facts that are derived from the definition, as JSON. */
const probe = `
import { arrangeMetrics, CheckResult, checkTypes, CheckType, createBodyOf, isCodeType, metricsOf, openapi, routes } from '@vedette/contracts'
import { networkCheckTypes, uptimeCheckTypes } from './packages/agent/src/checks/runners.ts'
import { toReportedResult } from './packages/agent/src/run/reported-result.ts'
import { runMonitor } from './packages/agent/src/run/run-monitor.ts'
import { limitMsOf } from './packages/agent/src/run/run-limits.ts'
import { retryAfter } from './packages/server/src/dispatch/retry.ts'
import { serializeEvidence } from './packages/server/src/http/results/serialize-evidence.ts'
import { checkFamilies } from './packages/server/src/prometheus/account-metrics.ts'
import { queueOf } from './packages/server/src/schedule/queue.ts'

const assertion = { source: 'ECHOES', comparison: 'LESS_THAN', property: '', target: '3', regex: '' }
const check = createBodyOf(checkTypes.ECHO).parse(checkTypes.ECHO.example)
check.request.assertions = [assertion]
const run = { runId: 'run', check, variables: {}, secrets: [] }
const clock = { now: () => 0, monotonic: () => 0 }
const outcome = await runMonitor(run, { clock, signal: new AbortController().signal })
const job = { checkType: 'ECHO', token: 'token', secrets: [], setup: [], teardown: [], check }
const reported = toReportedResult(job, outcome, { isCancelled: false, now: 0 })
const detail = { observed: { ...outcome.detail, requestError: null }, assertions: [], pcapDataUrl: null }
const { paths, components } = openapi(routes, { serverUrl: '' })
const retry = retryAfter({
  checkType: 'ECHO', strategy: null, doubleCheck: true, runParallel: false, attempt: 1, startedAt: 0, now: 0,
  failure: { kind: 'connect', phase: 'connect' }, locations: ['a'], location: 'a', random: () => 0,
})
console.log(JSON.stringify({
  types: CheckType.options,
  paths: Object.keys(paths).filter((path) => path.includes('echo')),
  schemas: Object.keys(components.schemas).filter((name) => name.includes('Echo')),
  fields: Object.keys(CheckResult.shape).filter((name) => name.startsWith('echo')),
  metrics: metricsOf('ECHO').slice(0, 2),
  arranged: arrangeMetrics('ECHO', { total: 1, echoes: 2 }),
  agent: networkCheckTypes.includes('ECHO'),
  uptime: uptimeCheckTypes.includes('ECHO'),
  limitMs: limitMsOf(job),
  outcome: outcome.outcome,
  message: outcome.failure.message,
  reported: reported.metrics,
  queue: queueOf('eu-west-1', 'ECHO'),
  isCode: isCodeType('ECHO'),
  retry,
  evidence: serializeEvidence('ECHO', detail).echoCheckResult.response,
  families: checkFamilies({ checks: [], counts: [], timings: [] }, false).map(({ name }) => name),
}))
`

let copy

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'vedette-new-type-'))
  for (const name of ['contracts', 'safeguards', 'agent', 'server']) {
    for (const part of ['src', 'package.json']) {
      cpSync(join(root, 'packages', name, part), join(copy, 'packages', name, part), { recursive: true })
    }
    mkdirSync(join(copy, 'node_modules/@vedette'), { recursive: true })
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@vedette', name))
  }
  cpSync(join(root, 'packages/agent/runtimes'), join(copy, 'packages/agent/runtimes'), { recursive: true })
  // Generated there.
  for (const folder of ['deploy/chart/settings', 'packages/cli/src/table'])
    mkdirSync(join(copy, folder), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@vedette') symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  }
  addType()
  node('packages/agent/src/generate.ts')
  writeFileSync(join(copy, 'probe.ts'), probe)
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function addType() {
  for (const [file, text] of Object.entries(newFiles)) writeFileSync(join(copy, file), text)
  for (const [file, after, line] of newLines) {
    const path = join(copy, file)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(after)
    writeFileSync(
      path,
      text.replace(after, (found) => `${found}\n${line}`),
    )
  }
}

function node(...args) {
  const { status, stdout, stderr } = spawnSync(serviceNode(), args, { cwd: copy, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return stdout
}

describe('a new network check type', () => {
  it('needs two files and three lines: everything else is derived', () => {
    expect(JSON.parse(node('probe.ts'))).toMatchObject({
      types: expect.arrayContaining(['ECHO', 'API']),
      paths: ['/v1/checks/echo', '/v1/checks/echo/{id}', '/v1/analytics/echo/{id}'],
      schemas: expect.arrayContaining([
        'EchoMonitor',
        'EchoMonitorInput',
        'EchoMonitorUpdate',
        'EchoAssertion',
      ]),
      fields: ['echoCheckResult'],
      metrics: [
        { name: 'total', unit: 'milliseconds', label: 'Total' },
        { name: 'echoes', unit: 'count', label: 'Echoes' },
      ],
      arranged: [1, 2],
      agent: true,
      uptime: true,
      limitMs: 45_000,
      outcome: 'failed',
      message: 'Expected the number of echoes to be less than 3, but it was 3.',
      reported: [5, 3],
      queue: 'eu-west-1',
      isCode: false,
      retry: { delayMs: 0, location: 'a' },
      evidence: { echoes: 3 },
      families: expect.arrayContaining(['vedette_echo_monitor_timing_seconds']),
    })
  })
})

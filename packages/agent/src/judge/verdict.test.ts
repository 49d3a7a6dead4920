import type { Failure, NetworkCheckType, Observation, Subject } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { Assertion } from './assertion-values.ts'
import { evaluateAssertions } from './assertions.ts'
import { type VerdictSettings, verdictOf } from './verdict.ts'

interface Case {
  settings?: VerdictSettings
  responseTimeMs?: number | null
  failure?: Failure
  detail?: unknown
  subjects?: Record<string, Subject>
  assertions?: Pick<Assertion, 'source' | 'comparison' | 'target'>[]
  property?: string
}

function judge(type: NetworkCheckType, given: Case) {
  const observation: Observation = {
    startedAt: 0,
    durationMs: 10,
    responseTimeMs: given.responseTimeMs === undefined ? 100 : given.responseTimeMs,
    failure: given.failure ?? null,
    detail: given.detail ?? null,
    subjects: given.subjects ?? {},
  }
  const assertions = (given.assertions ?? []).map((one) => ({
    ...one,
    property: given.property ?? '',
    regex: '',
  }))
  const settings = { degradedResponseTime: 3000, maxResponseTime: 5000, ...given.settings }
  return verdictOf(type, settings, observation, evaluateAssertions(assertions, observation.subjects))
}

const status = (value: number): Record<string, Subject> => ({ STATUS_CODE: { kind: 'number', value } })
const code = (value: string): Record<string, Subject> => ({ RESPONSE_CODE: { kind: 'text', value } })
const loss = (packetLoss: number) => ({ response: { packetLoss } })
const failed = (kind: Failure['kind'], phase: Failure['phase'] = 'connect'): Failure => ({
  kind,
  phase,
  message: `${kind} in ${phase}`,
})
const shouldFail = { shouldFail: true }
const is404 = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '404' }] as const
const is200 = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }] as const
const isNxdomain = [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NXDOMAIN' }] as const
const hasData = [{ source: 'RESPONSE_DATA', comparison: 'NOT_EMPTY', target: '' }] as const
const lossLimits = { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 }

type Row = [NetworkCheckType, string, Case, string, Failure['kind'] | null]

const http: Row[] = (['API', 'URL'] as const).flatMap((type): Row[] => [
  [type, 'a response', { subjects: status(200) }, 'passed', null],
  [type, 'a redirect that is not followed', { subjects: status(302) }, 'passed', null],
  [type, 'a client error', { subjects: status(404) }, 'failed', 'status'],
  [type, 'a server error', { subjects: status(503) }, 'failed', 'status'],
  [
    type,
    'an error status that is asserted',
    { subjects: status(404), assertions: [...is404] },
    'failed',
    'status',
  ],
  [type, 'an expected error status', { subjects: status(404), settings: shouldFail }, 'passed', null],
  [
    type,
    'an expected error that did not come',
    { subjects: status(200), settings: shouldFail },
    'passed',
    null,
  ],
  [
    type,
    'an expected error status, asserted',
    { subjects: status(404), settings: shouldFail, assertions: [...is404] },
    'passed',
    null,
  ],
  [
    type,
    'another status than asserted, with shouldFail',
    { subjects: status(500), settings: shouldFail, assertions: [...is404] },
    'failed',
    'assertion',
  ],
  [type, 'an assertion that fails', { subjects: status(204), assertions: [...is200] }, 'failed', 'assertion'],
  [type, 'no connection', { failure: failed('connect'), responseTimeMs: null }, 'failed', 'connect'],
  [
    type,
    'no connection, with shouldFail',
    { failure: failed('connect'), responseTimeMs: null, settings: shouldFail },
    'failed',
    'connect',
  ],
  [type, 'a time-out', { failure: failed('timeout', 'wait'), responseTimeMs: null }, 'failed', 'timeout'],
  [type, 'a blocked address', { failure: failed('blocked'), responseTimeMs: null }, 'failed', 'blocked'],
  [
    type,
    'an internal error',
    { failure: failed('internal', 'setup'), responseTimeMs: null },
    'error',
    'internal',
  ],
  [type, 'a time at the degraded limit', { subjects: status(200), responseTimeMs: 3000 }, 'passed', null],
  [type, 'a time above it', { subjects: status(200), responseTimeMs: 3000.1 }, 'degraded', 'response_time'],
  [
    type,
    'a time at the maximum',
    { subjects: status(200), responseTimeMs: 5000 },
    'degraded',
    'response_time',
  ],
  [
    type,
    'a time above the maximum',
    { subjects: status(200), responseTimeMs: 5001 },
    'failed',
    'response_time',
  ],
  [type, 'a slow error status', { subjects: status(500), responseTimeMs: 4000 }, 'failed', 'status'],
])

const tcp: Row[] = [
  ['TCP', 'a connection', {}, 'passed', null],
  ['TCP', 'a refused connection', { failure: failed('connect'), responseTimeMs: null }, 'failed', 'connect'],
  [
    'TCP',
    'an expected refusal',
    { failure: failed('connect'), responseTimeMs: null, settings: shouldFail },
    'passed',
    null,
  ],
  [
    'TCP',
    'an expected time-out',
    { failure: failed('timeout', 'connect'), responseTimeMs: null, settings: shouldFail },
    'passed',
    null,
  ],
  [
    'TCP',
    'a name that is gone, with shouldFail',
    { failure: failed('dns', 'dns'), responseTimeMs: null, settings: shouldFail },
    'failed',
    'dns',
  ],
  [
    'TCP',
    "a resolver that doesn't respond, with shouldFail",
    { failure: failed('timeout', 'dns'), responseTimeMs: null, settings: shouldFail },
    'failed',
    'timeout',
  ],
  [
    'TCP',
    'an internal error, with shouldFail',
    { failure: failed('internal'), responseTimeMs: null, settings: shouldFail },
    'error',
    'internal',
  ],
  ['TCP', 'a refusal that did not come', { settings: shouldFail }, 'passed', null],
  [
    'TCP',
    'an expected refusal with an assertion on data',
    { failure: failed('connect'), responseTimeMs: null, settings: shouldFail, assertions: [...hasData] },
    'failed',
    'assertion',
  ],
  ['TCP', 'a slow connection', { responseTimeMs: 3500 }, 'degraded', 'response_time'],
  ['TCP', 'one that took too long', { responseTimeMs: 5500 }, 'failed', 'response_time'],
]

const dns: Row[] = [
  ['DNS', 'a response', { subjects: code('NOERROR') }, 'passed', null],
  ['DNS', 'a missing name', { subjects: code('NXDOMAIN') }, 'failed', 'dns'],
  ['DNS', 'a refusal', { subjects: code('REFUSED') }, 'failed', 'dns'],
  ['DNS', 'an asserted code', { subjects: code('NXDOMAIN'), assertions: [...isNxdomain] }, 'passed', null],
  [
    'DNS',
    'another than asserted',
    { subjects: code('NOERROR'), assertions: [...isNxdomain] },
    'failed',
    'assertion',
  ],
  ['DNS', 'no resolver', { failure: failed('timeout', 'wait'), responseTimeMs: null }, 'failed', 'timeout'],
  [
    'DNS',
    'a slow response',
    { subjects: code('NOERROR'), responseTimeMs: 4000 },
    'degraded',
    'response_time',
  ],
]

const icmp: Row[] = [
  ['ICMP', 'no loss', { detail: loss(0), settings: lossLimits }, 'passed', null],
  ['ICMP', 'a loss below the limits', { detail: loss(9.9), settings: lossLimits }, 'passed', null],
  [
    'ICMP',
    'a loss at the degraded limit',
    { detail: loss(10), settings: lossLimits },
    'degraded',
    'packet_loss',
  ],
  ['ICMP', 'a loss below the maximum', { detail: loss(19), settings: lossLimits }, 'degraded', 'packet_loss'],
  ['ICMP', 'a loss at the maximum', { detail: loss(20), settings: lossLimits }, 'failed', 'packet_loss'],
  [
    'ICMP',
    'no reply at all where all may be lost',
    { detail: loss(100), settings: { degradedPacketLossThreshold: null, maxPacketLossThreshold: 100 } },
    'failed',
    'packet_loss',
  ],
  [
    'ICMP',
    'a loss without limits',
    { detail: loss(50), settings: { degradedPacketLossThreshold: null, maxPacketLossThreshold: null } },
    'passed',
    null,
  ],
  ['ICMP', 'a name that is gone', { failure: failed('dns', 'dns'), settings: lossLimits }, 'failed', 'dns'],
]

describe('the verdict', () => {
  it.each([...http, ...tcp, ...dns, ...icmp])('of %s on %s', (type, _, given, outcome, kind) => {
    const verdict = judge(type, given)
    expect([verdict.outcome, verdict.failure?.kind ?? null]).toEqual([outcome, kind])
  })

  it('reports a response that took too long, whatever else failed', () => {
    const verdict = judge('API', { subjects: status(500), responseTimeMs: 6000 })
    expect(verdict).toMatchObject({ overMaxResponseTime: true, failure: { kind: 'status', code: '500' } })
    expect(judge('API', { subjects: status(200) }).overMaxResponseTime).toBe(false)
  })

  it('points to shouldFail where an error status was asserted and came', () => {
    const { failure } = judge('API', { subjects: status(404), assertions: [...is404] })
    expect(failure?.message).toBe(
      'Expected a status code below 400, but it was 404. Set shouldFail if an error status is expected.',
    )
  })

  it('names the first failed assertion and counts the others', () => {
    const assertions = [...is200, ...is200, ...is404]
    expect(judge('API', { subjects: status(204), assertions }).failure?.message).toBe(
      'Expected the status code to equal 200, but it was 204. 2 more assertions failed.',
    )
  })

  it('keeps the message of a failed assertion within what a result may hold', () => {
    const { failure } = judge('API', {
      subjects: { TEXT_BODY: { kind: 'text', value: 'x'.repeat(100_000) } },
      assertions: [{ source: 'TEXT_BODY', comparison: 'EQUALS', target: 'y'.repeat(10_000) }],
      property: `(${'x'.repeat(900)})`,
    })
    expect(failure?.message.length).toBeLessThan(2000)
  })
})

import { describe, expect, it } from 'vitest'
import { runtimeIds } from '../runs/runtime-ids.ts'
import { runtimes } from '../runs/runtimes/manifests.generated.ts'
import {
  Check,
  type CheckDefinition,
  CheckInput,
  type CheckType,
  checkTypeNames,
  checkTypes,
  createBodyOf,
  updateBodyOf,
} from './index.ts'
import { runtimesWithoutMultiStep } from './multi-step.ts'

const definitions: Record<CheckType, CheckDefinition> = checkTypes
const bodies = Object.fromEntries(checkTypeNames.map((type) => [type, createBodyOf(definitions[type])]))
const example = (type: CheckType): Record<string, unknown> => checkTypes[type].example

function wrongFields(type: CheckType, changes: object): string[] {
  const { error } = bodies[type]!.safeParse({ ...example(type), ...changes })
  return [...new Set(error?.issues.map(({ path }) => path.join('.')) ?? [])]
}

describe.each(checkTypeNames)('%s', (type) => {
  it('has an example that creates one, also by the generic body', () => {
    expect(bodies[type]!.parse(example(type))).toMatchObject({ ...example(type), checkType: type })
    expect(CheckInput.parse({ ...example(type), checkType: type })).toMatchObject(example(type))
  })

  it('applies no defaults to an update', () => {
    expect(updateBodyOf(definitions[type]).parse({})).toEqual({})
    expect(updateBodyOf(definitions[type]).parse({ name: 'x', unknown: 1 })).toEqual({ name: 'x' })
  })

  it('refuses what its shared fields refuse', () => {
    expect(wrongFields(type, { name: '' })).toEqual(['name'])
    expect(wrongFields(type, { description: 'x'.repeat(501) })).toEqual(['description'])
    expect(wrongFields(type, { groupOrder: -1 })).toEqual(['groupOrder'])
    expect(wrongFields(type, { locations: ['moon-1'] })).toEqual(['locations.0'])
    expect(wrongFields(type, { alertSettings: null, useGlobalAlertSettings: false })).toEqual([
      'alertSettings',
    ])
    expect(wrongFields(type, { alertSettings: null, locations: null, groupId: null })).toEqual([])
    const twice = { alertChannelId: 1, activated: true }
    expect(wrongFields(type, { alertChannelSubscriptions: [twice, twice] })).toEqual([
      'alertChannelSubscriptions.1.alertChannelId',
    ])
  })

  it('accepts the kind of failure that is retried as a name or as a list', () => {
    for (const onlyOn of ['NETWORK_ERROR', ['NETWORK_ERROR']]) {
      expect(wrongFields(type, { retryStrategy: { onlyOn } })).toEqual([])
    }
  })
})

it('the read union knows every type, in the same order', () => {
  const types = Check.options.map((option) => option.shape.checkType.value)
  expect(types).toEqual(checkTypeNames)
})

describe('fields that a type does not have', () => {
  it.each([
    ['HEARTBEAT', ['retryStrategy', 'doubleCheck', 'shouldFail', 'runtimeId', 'frequency']],
    ['PLAYWRIGHT', ['retryStrategy', 'doubleCheck', 'shouldFail', 'runtimeId']],
    [
      'AGENTIC',
      ['privateLocations', 'runParallel', 'retryStrategy', 'shouldFail', 'doubleCheck', 'triggerIncident'],
    ],
  ] as const)('%s', (type, fields) => {
    const sent = Object.fromEntries(fields.map((field) => [field, { not: 'checked' }]))
    const parsed = bodies[type]!.parse({ ...example(type), ...sent })
    for (const field of fields) {
      expect(parsed).not.toHaveProperty(field)
      expect(checkTypes[type].read.shape).not.toHaveProperty(field)
    }
  })
})

const latencyAssertion = (property: string) => ({
  source: 'RESPONSE_TIME',
  property,
  comparison: 'LESS_THAN',
  target: '5',
})

describe('limits', () => {
  it.each([
    ['API', { degradedResponseTime: 30_000, maxResponseTime: 30_000 }, []],
    ['API', { maxResponseTime: 30_001 }, ['maxResponseTime']],
    ['API', { degradedResponseTime: 20_001 }, []],
    ['API', { degradedResponseTime: null, maxResponseTime: 1 }, []],
    ['URL', { maxResponseTime: 30_000 }, []],
    ['TCP', { maxResponseTime: 5001 }, ['maxResponseTime']],
    ['DNS', { maxResponseTime: 5001 }, ['maxResponseTime']],
    ['ICMP', { degradedPacketLossThreshold: 21 }, []],
    ['ICMP', { degradedPacketLossThreshold: 100, maxPacketLossThreshold: 100 }, []],
    ['ICMP', { degradedPacketLossThreshold: 0 }, ['degradedPacketLossThreshold']],
    ['ICMP', { request: { hostname: 'a', pingCount: 51 } }, ['request.pingCount']],
    ['TRACEROUTE', { request: { url: 'a', maxHops: 65 } }, ['request.maxHops']],
    ['TRACEROUTE', { request: { url: 'a', protocol: 'SCTP' } }, ['request.protocol']],
    ['TRACEROUTE', { request: { url: 'a', assertions: [latencyAssertion('stdDev')] } }, []],
    [
      'TRACEROUTE',
      { request: { url: 'a', assertions: [latencyAssertion('p95')] } },
      ['request.assertions.0.property'],
    ],
    ['TCP', { request: { hostname: 'a', port: 65_536 } }, ['request.port']],
    ['DNS', { request: { query: 'a', recordType: 'SRV' } }, ['request.recordType']],
    ['DNS', { request: { query: 'a'.repeat(101), recordType: 'A' } }, ['request.query']],
    ['URL', { request: { url: 'https://a.b', method: 'POST' } }, ['request.method']],
    ['BROWSER', { frequency: 0, frequencyOffset: 10 }, ['frequency']],
    ['MULTI_STEP', { frequency: 0, frequencyOffset: 10 }, ['frequency']],
    ['PLAYWRIGHT', { frequency: 0, frequencyOffset: 10 }, ['frequency']],
    ['AGENTIC', { frequency: 2 }, ['frequency']],
    ['AGENTIC', { frequency: 5 }, []],
    ['AGENTIC', { prompt: 'x'.repeat(10_001) }, ['prompt']],
    ['API', { frequency: 3 }, ['frequency']],
    ['API', { frequency: 0 }, ['frequencyOffset']],
    ['BROWSER', { script: undefined }, ['script']],
    ['BROWSER', { script: null }, []],
    ['MULTI_STEP', { script: undefined }, ['script']],
  ] as const)('%s with %j: wrong are %j', (type, changes, expected) => {
    expect(wrongFields(type, changes)).toEqual(expected)
  })

  it.each([
    [30, 'seconds', 0, 'seconds', []],
    [29.9, 'seconds', 0, 'seconds', ['heartbeat.period']],
    [365, 'days', 365, 'days', []],
    [8761, 'hours', 0, 'seconds', ['heartbeat.period']],
    [1, 'minutes', 366, 'days', ['heartbeat.grace']],
    [0, 'days', 8761, 'hours', ['heartbeat.period', 'heartbeat.grace']],
    [1, 'weeks', 1, 'days', ['heartbeat.periodUnit']],
    [1, 'days', -1, 'days', ['heartbeat.grace']],
  ])(
    'a heartbeat every %s %s, %s %s late: wrong are %j',
    (period, periodUnit, grace, graceUnit, expected) => {
      expect(wrongFields('HEARTBEAT', { heartbeat: { period, periodUnit, grace, graceUnit } })).toEqual(
        expected,
      )
    },
  )
})

describe('environment variables', () => {
  const entry = (key: string) => ({ key, value: 'x' })

  it('number at most 100, each key once, each with a value', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => entry(`V${index}`))
    expect(wrongFields('BROWSER', { environmentVariables: many(100) })).toEqual([])
    expect(wrongFields('BROWSER', { environmentVariables: many(101) })).toEqual(['environmentVariables'])
    expect(wrongFields('BROWSER', { environmentVariables: [entry('A'), entry('A')] })).toEqual([
      'environmentVariables.1.key',
    ])
    expect(wrongFields('BROWSER', { environmentVariables: [{ key: 'A', secret: true }] })).toEqual([
      'environmentVariables.0.value',
    ])
    expect(wrongFields('BROWSER', { environmentVariables: null })).toEqual([])
  })
})

describe('runtimes of multi-step checks', () => {
  it.each(runtimeIds)('%s is allowed if its manifest allows it', (runtimeId) => {
    const manifest = runtimes.find(({ name }) => name === runtimeId)
    expect(runtimesWithoutMultiStep.includes(runtimeId)).toBe(manifest?.multiStepSupport === false)
    expect(wrongFields('MULTI_STEP', { runtimeId })).toEqual(manifest?.multiStepSupport ? [] : ['runtimeId'])
    expect(wrongFields('BROWSER', { runtimeId })).toEqual([])
  })
})

describe('the request of a TCP monitor', () => {
  it('accepts the names that newer clients use', () => {
    const parsed = createBodyOf(checkTypes.TCP).parse({
      name: 'x',
      request: { url: 'a.b', port: 1, body: 'ping' },
    })
    expect(parsed.request).toMatchObject({ hostname: 'a.b', data: 'ping' })
    expect(parsed.request).not.toHaveProperty('url')
    expect(wrongFields('TCP', { request: { port: 1 } })).toEqual(['request.hostname'])
    expect(wrongFields('TCP', { request: 'no object' })).toEqual(['request'])
  })
})

describe('what clients that describe checks as code send', () => {
  it('one name of a failure becomes a list', () => {
    const parsed = bodies.BROWSER!.parse({
      ...example('BROWSER'),
      retryStrategy: { onlyOn: 'NETWORK_ERROR' },
    })
    expect(parsed.retryStrategy).toMatchObject({ onlyOn: ['NETWORK_ERROR'] })
    expect(wrongFields('API', { retryStrategy: { onlyOn: 'TIMEOUT' } })).toEqual(['retryStrategy.onlyOn.0'])
  })

  it('empty ping tokens, and commands that are null', () => {
    const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' }
    expect(wrongFields('HEARTBEAT', { heartbeat: { ...heartbeat, pingToken: '' } })).toEqual([])
    expect(wrongFields('HEARTBEAT', { heartbeat: { ...heartbeat, pingToken: 'x' } })).toEqual([
      'heartbeat.pingToken',
    ])
    expect(wrongFields('PLAYWRIGHT', { installCommand: null, testCommand: null })).toEqual([])
  })
})

describe('rules between fields', () => {
  it('are reported beside other wrong fields', () => {
    expect(wrongFields('API', { name: 5, frequency: 0 })).toEqual(['name', 'frequencyOffset'])
  })
})

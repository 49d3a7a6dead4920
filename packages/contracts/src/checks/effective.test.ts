import { describe, expect, it } from 'vitest'
import { applyGroup, type EnclosingGroup, type MemberCheck } from './effective.ts'

const own = { failedRunThreshold: 1 }
const strategy = { type: 'FIXED', maxRetries: 2 }

const check = {
  checkType: 'API',
  name: 'Checkout',
  activated: true,
  muted: false,
  tags: ['api'],
  locations: ['us-east-1'],
  privateLocations: ['cellar'],
  runParallel: true,
  runtimeId: null as string | null,
  doubleCheck: false,
  retryStrategy: strategy as Record<string, unknown> | null,
  useGlobalAlertSettings: false,
  alertSettings: own as object | null,
  alertChannelSubscriptions: [{ alertChannelId: 1, activated: true }],
  environmentVariables: [{ key: 'A', value: 'of the check' }],
  request: {
    url: 'https://example.com',
    headers: [{ key: 'X-From', value: 'check' }],
    queryParameters: [{ key: 'q', value: 'check' }],
    assertions: [{ source: 'STATUS_CODE' }],
    basicAuth: null as { username: string; password: string } | null,
  },
}

/** A group that enforces nothing. */
const group: EnclosingGroup = {
  activated: true,
  muted: false,
  tags: [],
  locations: [],
  privateLocations: null,
  runParallel: null,
  runtimeId: null,
  doubleCheck: false,
  retryStrategy: 'FALLBACK',
  useGlobalAlertSettings: null,
  alertSettings: null,
  alertChannelSubscriptions: [],
  environmentVariables: null,
  apiCheckDefaults: { headers: [], queryParameters: [], assertions: [], basicAuth: null },
}

const defaults = group.apiCheckDefaults
const { request } = check
const onlyTwo = [{ alertChannelId: 2, activated: true }]
const empty = { username: '', password: '' }
const ann = { username: 'ann', password: 'secret' }
const bea = { username: 'bea', password: 'hidden' }

interface Case {
  title: string
  check?: Partial<MemberCheck>
  group: Partial<EnclosingGroup>
  /** What differs from the check. */
  changes: Partial<MemberCheck>
}

const cases: Record<string, Case[]> = {
  'runs and notifications': [
    {
      title: 'a deactivated group beats an active check',
      group: { activated: false },
      changes: { activated: false },
    },
    {
      title: 'an active group wakes no deactivated check',
      check: { activated: false },
      group: { activated: true },
      changes: {},
    },
    { title: 'a muted group beats a check that is not', group: { muted: true }, changes: { muted: true } },
    { title: 'a group that is not muted unmutes no check', check: { muted: true }, group: {}, changes: {} },
    {
      title: 'tags of the group are appended without duplicates',
      group: { tags: ['shop', 'api', 'shop'] },
      changes: { tags: ['api', 'shop'] },
    },
  ],
  runtime: [
    {
      title: 'a check without a runtime gets the one of its group',
      group: { runtimeId: '2025.04' },
      changes: { runtimeId: '2025.04' },
    },
    {
      title: 'the runtime of the check wins',
      check: { runtimeId: '2026.04' },
      group: { runtimeId: '2025.04' },
      changes: {},
    },
    {
      title: 'a check of a type without runtimes gets none',
      check: { runtimeId: undefined },
      group: { runtimeId: '2025.04' },
      changes: {},
    },
  ],
  places: [
    { title: 'empty lists are not enforced', group: { locations: [], privateLocations: [] }, changes: {} },
    {
      title: 'locations of the group replace both lists of the check',
      group: { locations: ['eu-west-1'] },
      changes: { locations: ['eu-west-1'], privateLocations: [] },
    },
    {
      title: 'private locations of the group replace both lists of the check',
      group: { privateLocations: ['attic'] },
      changes: { locations: [], privateLocations: ['attic'] },
    },
    {
      title: 'runParallel false is enforced',
      group: { runParallel: false },
      changes: { runParallel: false },
    },
    {
      title: 'runParallel true is enforced',
      check: { runParallel: false },
      group: { runParallel: true },
      changes: { runParallel: true },
    },
    {
      title: 'a type without private locations gets only the others',
      check: { checkType: 'AGENTIC', privateLocations: undefined, runParallel: undefined },
      group: { locations: ['eu-west-1'], privateLocations: ['attic'], runParallel: true },
      changes: { locations: ['eu-west-1'] },
    },
    {
      title: 'private locations alone leave such a type where it was',
      check: { checkType: 'AGENTIC', privateLocations: null },
      group: { privateLocations: ['attic'] },
      changes: {},
    },
    {
      title: 'a heartbeat runs nowhere',
      check: { checkType: 'HEARTBEAT' },
      group: { locations: ['eu-west-1'], runParallel: true },
      changes: {},
    },
  ],
  retries: [
    {
      title: 'a strategy of the group is enforced',
      group: { retryStrategy: { type: 'LINEAR' } },
      changes: { retryStrategy: { type: 'LINEAR' } },
    },
    {
      title: 'null without doubleCheck enforces no retries',
      check: { doubleCheck: true },
      group: { retryStrategy: null },
      changes: { retryStrategy: null, doubleCheck: false },
    },
    {
      title: 'null with doubleCheck enforces the double check',
      group: { retryStrategy: null, doubleCheck: true },
      changes: { retryStrategy: null, doubleCheck: true },
    },
    { title: 'FALLBACK leaves it to the check', check: { doubleCheck: true }, group: {}, changes: {} },
    {
      title: 'FALLBACK with doubleCheck keeps the strategy of the check',
      group: { doubleCheck: true },
      changes: { doubleCheck: true },
    },
    {
      title: 'a type without retries gets none',
      check: { checkType: 'PLAYWRIGHT', retryStrategy: undefined, doubleCheck: undefined },
      group: { retryStrategy: { type: 'LINEAR' }, doubleCheck: true },
      changes: {},
    },
    {
      title: 'onlyOn reaches the types that can tell',
      check: { checkType: 'URL' },
      group: { retryStrategy: { type: 'LINEAR', onlyOn: ['NETWORK_ERROR'] } },
      changes: { retryStrategy: { type: 'LINEAR', onlyOn: ['NETWORK_ERROR'] } },
    },
    {
      title: 'other types retry on any failure',
      check: { checkType: 'TCP' },
      group: { retryStrategy: { type: 'LINEAR', onlyOn: ['NETWORK_ERROR'] } },
      changes: { retryStrategy: { type: 'LINEAR' } },
    },
  ],
  alerts: [
    {
      title: 'settings of the group are enforced, and its subscriptions with them',
      check: { useGlobalAlertSettings: true },
      group: { alertSettings: { failedRunThreshold: 5 }, alertChannelSubscriptions: onlyTwo },
      changes: {
        useGlobalAlertSettings: false,
        alertSettings: { failedRunThreshold: 5 },
        alertChannelSubscriptions: onlyTwo,
      },
    },
    {
      title: 'the global settings are enforced, and the subscriptions with them',
      group: { useGlobalAlertSettings: true, alertChannelSubscriptions: onlyTwo },
      changes: { useGlobalAlertSettings: true, alertChannelSubscriptions: onlyTwo },
    },
    {
      title: 'global wins over settings of its own',
      group: { useGlobalAlertSettings: true, alertSettings: { failedRunThreshold: 5 } },
      changes: { useGlobalAlertSettings: true, alertChannelSubscriptions: [] },
    },
    {
      title: 'subscriptions alone take no effect',
      group: { alertChannelSubscriptions: onlyTwo },
      changes: {},
    },
    {
      title: 'not global, and no settings: the check decides',
      check: { useGlobalAlertSettings: true },
      group: { useGlobalAlertSettings: false, alertChannelSubscriptions: onlyTwo },
      changes: {},
    },
  ],
  variables: [
    {
      title: 'the check wins by key',
      group: { environmentVariables: [{ key: 'A' }, { key: 'B' }] },
      changes: {
        environmentVariables: [{ key: 'A', value: 'of the check' }, { key: 'B' }] as { key: string }[],
      },
    },
    {
      title: 'keys are told apart by case',
      group: { environmentVariables: [{ key: 'a' }] },
      changes: {
        environmentVariables: [{ key: 'A', value: 'of the check' }, { key: 'a' }] as { key: string }[],
      },
    },
    {
      title: 'a check with none gets those of its group',
      check: { environmentVariables: null },
      group: { environmentVariables: [{ key: 'B' }] },
      changes: { environmentVariables: [{ key: 'B' }] },
    },
    {
      title: 'a check of a type without variables gets none',
      check: { environmentVariables: undefined },
      group: { environmentVariables: [{ key: 'B' }] },
      changes: {},
    },
  ],
  'requests of API checks': [
    {
      title: 'a header of the check wins, whatever its case',
      group: { apiCheckDefaults: { ...defaults, headers: [{ key: 'x-from' }, { key: 'x-more' }] } },
      changes: { request: { ...request, headers: [...request.headers, { key: 'x-more' }] } },
    },
    {
      title: 'a query parameter of the check wins on the same name',
      group: { apiCheckDefaults: { ...defaults, queryParameters: [{ key: 'q' }, { key: 'Q' }] } },
      changes: { request: { ...request, queryParameters: [...request.queryParameters, { key: 'Q' }] } },
    },
    {
      title: 'assertions are added',
      group: { apiCheckDefaults: { ...defaults, assertions: [{ source: 'STATUS_CODE' }] } },
      changes: {
        request: { ...request, assertions: [{ source: 'STATUS_CODE' }, { source: 'STATUS_CODE' }] },
      },
    },
    {
      title: 'basic auth is given to a check that has none',
      group: { apiCheckDefaults: { ...defaults, basicAuth: ann } },
      changes: { request: { ...request, basicAuth: ann } },
    },
    {
      title: 'empty basic auth counts as none',
      check: { request: { ...request, basicAuth: empty } },
      group: { apiCheckDefaults: { ...defaults, basicAuth: ann } },
      changes: { request: { ...request, basicAuth: ann } },
    },
    {
      title: 'basic auth of the check wins',
      check: { request: { ...request, basicAuth: bea } },
      group: { apiCheckDefaults: { ...defaults, basicAuth: ann } },
      changes: {},
    },
    {
      title: 'requests of other types stay as they are',
      check: { checkType: 'URL' },
      group: { apiCheckDefaults: { ...defaults, headers: [{ key: 'x-more' }], basicAuth: ann } },
      changes: {},
    },
  ],
}

describe('applyGroup', () => {
  it('changes nothing when the group enforces nothing', () => {
    expect(applyGroup(check, group)).toEqual(check)
  })

  for (const [subject, rows] of Object.entries(cases)) {
    describe(subject, () => {
      it.each(rows)('$title', (row) => {
        const member = { ...check, ...row.check } as MemberCheck
        const before = structuredClone(member)
        expect(applyGroup(member, { ...group, ...row.group })).toStrictEqual({ ...member, ...row.changes })
        expect(member).toEqual(before)
      })
    })
  }

  it('keeps the type and every field that it does not know', () => {
    const name: string = applyGroup(check, { ...group, muted: true }).name
    expect(name).toBe('Checkout')
  })
})

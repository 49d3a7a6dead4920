import { describe, expect, it } from 'vitest'
import { type AccountResources, noResources } from '../account-resources.ts'
import { exportAccount } from '../export-account.ts'
import { Expression, Reference } from '../source.ts'
import { constructOfChannel } from './channel-construct.ts'
import { type CheckScope, constructOfCheck } from './check-construct.ts'
import { constructSource } from './construct-code.ts'
import { constructOfGroup } from './group-construct.ts'
import { constructOfWindow } from './page-constructs.ts'
import { filesOfScript } from './script-files.ts'

const times = { created_at: '2026-11-15T08:00:00.000Z', updated_at: null }

function filesOf(resources: Partial<AccountResources>): Map<string, string> {
  const { files } = exportAccount({ ...noResources, ...resources }, 'constructs') ?? { files: [] }
  return new Map(files.map(({ path, text }) => [path, text]))
}

function scope(notes: string[] = []): CheckScope {
  return {
    use: (construct) => construct,
    refer: (kind, id) => new Expression(`${kind.replaceAll('-', '_')}_${id}`),
    secret: (field) => new Reference(field.toUpperCase().replaceAll(' ', '_')),
    snippet: (id) => (id === 1 ? 'the snippet' : undefined),
    note: (field, value) => notes.push(`${field} ${JSON.stringify(value)}`),
    channelsOf: () => [],
    script: ({ text }) => ({ content: text }),
    suite: (_, config) => ({ playwrightConfigPath: config }),
  }
}

describe('a check as a construct', () => {
  it('refers to other resources, and has no secret value', () => {
    const { construct, props } = constructOfCheck(
      {
        ...{ id: 'x', checkType: 'API', name: 'Orders', groupId: 3, privateLocations: ['office'] },
        ...{ doubleCheck: false, retryStrategy: null, setupSnippetId: 1, state: 'passing' },
        environmentVariables: [{ key: 'TOKEN', value: null, secret: true, locked: false }],
        request: {
          ...{ method: 'GET', url: 'https://example.com', ipFamily: 'IPv4' },
          headers: [
            { key: 'authorization', value: 'hidden-1', locked: false },
            { key: 'x-from', value: 'us', locked: false },
            { key: 'cookie', value: '{{COOKIE}}', locked: false },
          ],
          basicAuth: { username: 'ada', password: 'hidden-2' },
        },
      },
      scope(),
    )
    const source = constructSource({ construct, props }, 'orders')
    expect(source).not.toContain('hidden')
    for (const text of [
      "new ApiCheck('orders', {",
      'group: check_group_3',
      'privateLocations: [private_location_office]',
      "retryStrategy: { type: 'NO_RETRIES' }",
      "setupScript: { content: 'the snippet' }",
      "{ key: 'TOKEN', value: process.env.TOKEN ?? '', secret: true }",
      "{ key: 'x-from', value: 'us' }",
      "{ key: 'cookie', value: '{{COOKIE}}' }",
      "password: process.env.PASSWORD ?? ''",
    ])
      expect(source).toContain(text)
  })

  it('notes what the construct does not have', () => {
    const notes: string[] = []
    const monitor = { checkType: 'TCP', name: 'Port', unknownAfterMissedRuns: 3, runtimeId: '2025.04' }
    const { props } = constructOfCheck({ ...monitor, doubleCheck: true, groupOrder: null }, scope(notes))
    expect(notes).toEqual(['unknownAfterMissedRuns 3', 'runtimeId "2025.04"'])
    // Monitors have no doubleCheck.
    expect(props.retryStrategy).toMatchObject({ type: 'FIXED', maxRetries: 1, sameRegion: false })
  })
})

it('writes what a group decides', () => {
  const group = { name: 'Shop', useGlobalAlertSettings: true, runParallel: null, retryStrategy: null }
  const { construct, props } = constructOfGroup({ ...group, concurrency: 3 }, scope())
  expect({ construct, props }).toEqual({
    construct: 'CheckGroupV2',
    props: { name: 'Shop', alertEscalationPolicy: 'global', retryStrategy: { type: 'NO_RETRIES' } },
  })
})

it.each([
  ['WEBHOOK_MSTEAMS', { template: '{}' }, 'MSTeamsAlertChannel'],
  ['WEBHOOK_MSTEAMS', { template: null }, 'WebhookAlertChannel'],
  [
    'WEBHOOK_INCIDENTIO',
    { template: '{}', headers: [{ key: 'authorization', value: 'Bearer hidden' }] },
    'IncidentioAlertChannel',
  ],
  [
    'WEBHOOK_TELEGRAM',
    {
      url: 'https://api.telegram.org/bothidden/sendMessage',
      template: 'chat_id=1&parse_mode=HTML&text=Hello',
    },
    'TelegramAlertChannel',
  ],
  ['WEBHOOK_DISCORD', { queryParameters: [{ key: 'a', value: 'hidden' }] }, 'WebhookAlertChannel'],
])('writes the channel of %s %j', (webhookType, config, construct) => {
  const common = { name: 'Hook', method: 'POST', url: 'https://hidden.example.com', webhookType }
  const channel = { type: 'WEBHOOK', config: { ...common, ...config }, autoSubscribe: false }
  const made = constructOfChannel(channel, scope())
  expect(made.construct).toBe(construct)
  expect(constructSource(made, 'hook')).not.toContain('hidden')
})

it('notes the settings of a maintenance window that have no prop', () => {
  const notes: string[] = []
  const window = { name: 'W', startsAt: '2030-01-01T00:00:00.000Z', pauseAllChecks: true, repeatUnit: null }
  const made = constructOfWindow({ ...window, timezone: 'Europe/Berlin' }, scope(notes))
  expect(constructSource(made, 'w')).toContain("startsAt: new Date('2030-01-01T00:00:00.000Z')")
  expect(notes).toEqual(['pauseAllChecks true', 'timezone "Europe/Berlin"'])
})

describe('scripts', () => {
  const script = { role: 'script', text: "require('./snippets/sign-in')", dependencies: [] } as const

  it('are files with the snippets that they load', () => {
    const { entrypoint, files } = filesOfScript(
      { ...script, path: null },
      'homeCheck',
      new Map([['sign-in', 'sign in']]),
    )
    expect(entrypoint).toBe('scripts/homeCheck/script.spec.ts')
    expect(files.map(({ path }) => path)).toEqual([entrypoint, 'scripts/homeCheck/snippets/sign-in.js'])
  })

  it('have the same path after a deployment, and stay in the directory', () => {
    const pathOf = (path: string) => filesOfScript({ ...script, path }, 'homeCheck', new Map()).entrypoint
    expect(pathOf('a/b.spec.ts')).toBe('scripts/homeCheck/a/b.spec.ts')
    expect(pathOf(pathOf('a/b.spec.ts'))).toBe('scripts/homeCheck/a/b.spec.ts')
    expect(pathOf('../../x.ts')).toBe('scripts/homeCheck/_/_/x.ts')
  })
})

describe('an export', () => {
  const certificate = { id: 'c', host: 'example.com', cert: 'PEM', ca: null, created_at: times.created_at }

  it('creates by a script what has no construct', () => {
    const files = filesOf({
      variables: [
        { key: 'BASE', value: 'https://example.com', locked: false, secret: false },
        { key: 'TOKEN', value: 'hidden', locked: true, secret: false },
      ],
      snippets: [{ id: 1, name: 'sign-in', script: 'x()', ...times }],
      clientCertificates: [certificate],
    })
    const script = files.get('without-constructs.mjs') ?? ''
    expect(script).toContain("value: process.env.VARIABLE_TOKEN ?? ''")
    expect(script).toContain('process.env.EXAMPLE_COM_CERTIFICATE_KEY')
    expect([...files.values()].join()).not.toContain('hidden')
    expect(files.get('.env.example')).toContain('VARIABLE_TOKEN=\n')
    expect(files.get('checkly.config.ts')).toContain("'VARIABLE_TOKEN'")
  })

  it('has a file for each kind that the account has', () => {
    const service = (id: string, name: string) => ({ id, name, accountId: 'a', ...times })
    const files = filesOf({ services: [service('1', 'Shop'), service('2', 'Search')] })
    expect(files.get('resources/status-pages.check.ts')).toContain(
      "export const shopService = new StatusPageService('shop', {\n  name: 'Shop',\n})",
    )
    expect(files.has('resources/checks.check.ts')).toBe(false)
    expect(exportAccount(noResources, 'nothing')).toBeUndefined()
  })
})

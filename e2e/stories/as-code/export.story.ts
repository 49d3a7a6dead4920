import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  createCheckGroupTrigger,
  createCheckTrigger,
  createClientCertificate,
  createSnippet,
  createVariable,
  listCheckGroups,
  listChecks,
  putAlertChannelSubscription,
} from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Account } from '../../account.ts'
import { Installation } from '../../installation.ts'
import { everyConstruct } from './every-construct.ts'
import { clients, PublishedCli } from './published-cli.ts'

const playwright = '@playwright/test@1.65.0'
const program = fileURLToPath(new URL('../../../packages/cli/bin/vedette.mjs', import.meta.url))
const settings = { CHECKLY_LOCKFILE_PRUNE: '0', CHECKLY_E2E_DISABLE_FANCY_OUTPUT: '1' }

/** Planted in the first account; none may be in an export. */
const secrets = {
  variable: 'planted-variable-secret',
  locked: 'planted-locked-value',
  check: 'planted-check-secret',
  password: 'planted-password',
  header: 'planted-header',
  group: 'planted-group-value',
  slack: 'https://hooks.example.com/planted-slack',
  webhook: 'planted-webhook-secret',
  key: 'planted-channel-key',
}

/** The project of the other stories with secrets that can be recognized, and a suite that reads files. */
function projectWithSecrets(): Record<string, string> {
  const files = everyConstruct('every-construct', { target: 'http://127.0.0.1:9', major: 9 })
  const replaced = Object.entries(files).map(([path, text]): [string, string] => [
    path,
    text
      .replace('not to be shown', secrets.check)
      .replace("password: 'pass'", `password: '${secrets.password}'`)
      .replace("value: '{{TOKEN}}', locked: true", `value: '${secrets.header}', locked: true`)
      .replace("value: 'value', locked: true", `value: '${secrets.group}', locked: true`)
      .replace('https://example.com/slack', secrets.slack)
      .replace("webhookSecret: 'secret'", `webhookSecret: '${secrets.webhook}'`)
      .replaceAll(/(apiKey|serviceKey): 'key'/g, `$1: '${secrets.key}'`)
      .replace(
        "pwProjects: ['chromium'],",
        "pwProjects: ['chromium'], pwTags: ['@a', '@b'], include: suiteFiles,",
      )
      .replace('import { email }', "const suiteFiles = ['data/*', 'data/.users.json']\nimport { email }"),
  ])
  return { ...Object.fromEntries(replaced), 'suite/data/[a].json': '[]\n', 'suite/data/.users.json': '{}\n' }
}

describe('vedette export', { timeout: 600_000 }, () => {
  const [release] = clients
  const folder = mkdtempSync(join(tmpdir(), 'vedette-export-story-'))
  const installations: Installation[] = []
  let first: Account
  let second: Account
  let cli: PublishedCli

  async function start(): Promise<Account> {
    const installation = await Installation.create()
    installations.push(installation)
    return new Account(installation, await installation.start({ AGENT: 'off' }))
  }

  beforeAll(async () => {
    ;[first, second] = await Promise.all([start(), start()])
    cli = await PublishedCli.install(release, first, [playwright])
  }, 300_000)
  afterAll(async () => {
    cli?.remove()
    for (const installation of installations) await installation.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const environmentOf = (account: Account) => ({
    CHECKLY_API_URL: account.baseUrl,
    CHECKLY_MQTT_URL: account.baseUrl.replace('http', 'ws'),
    CHECKLY_API_KEY: (account.headers.Authorization ?? '').replace('Bearer ', ''),
    CHECKLY_ACCOUNT_ID: account.id,
  })

  async function runNode(directory: string, words: readonly string[], variables: Record<string, string>) {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, ...variables }
    return promisify(execFile)(process.execPath, words, { cwd: directory, env })
  }

  async function exportFrom(account: Account, name: string): Promise<Record<string, string>> {
    const words = [program, 'export', '--out', join(folder, name), '--json']
    const { stdout } = await runNode(folder, words, environmentOf(account))
    expect(JSON.parse(stdout)).toMatchObject({ format: 'constructs', directory: join(folder, name) })
    return readFiles(join(folder, name))
  }

  function readFiles(directory: string): Record<string, string> {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    return Object.fromEntries(
      entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .sort()
        .map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]),
    )
  }

  let exported: Record<string, string>

  it('writes an account with one of everything, without its secrets', async () => {
    const project = cli.project('project', projectWithSecrets())
    const { code, output } = await cli.run(project, ['deploy', '--force'], settings)
    expect({ code, output }).toMatchObject({ code: 0 })
    await first.call(createVariable, { body: { key: 'BASE_URL', value: 'https://example.com' } })
    await first.call(createVariable, { body: { key: 'SECRET', value: secrets.variable, secret: true } })
    await first.call(createVariable, { body: { key: 'LOCKED', value: secrets.locked, locked: true } })
    await first.call(createSnippet, { body: { name: 'sign-in', script: "console.log('signed in')\n" } })
    const { example } = createClientCertificate
    const certificate = createClientCertificate.body?.parse(example)
    if (certificate === undefined) throw new Error('There is no example of a certificate')
    await first.call(createClientCertificate, { body: certificate })
    const checks = await first.call(listChecks, { query: { limit: 100 } })
    const idOf = (name: string) => checks.find((check) => check.name === name)?.id ?? ''
    await first.call(createCheckTrigger, { params: { checkId: idOf('API') } })
    const [group] = await first.call(listCheckGroups)
    await first.call(createCheckGroupTrigger, { params: { groupId: group?.id ?? 0 } })
    // A channel that is subscribed and not notified.
    await first.call(putAlertChannelSubscription, {
      params: { id: 2 },
      body: { checkId: idOf('TCP'), activated: false },
    })
    exported = await exportFrom(first, 'one')
    const all = Object.values(exported).join('\n')
    for (const secret of [...Object.values(secrets), certificate.key]) expect(all).not.toContain(secret)
    for (const id of [idOf('API'), first.id]) expect(all).not.toContain(id)
    expect(exported['resources/checks.check.ts']).toContain('new AlertChannelSubscription(')
    expect(exported['README.md']).not.toContain('Settings without a construct')
    expect(Object.keys(exported).filter((path) => path.startsWith('suites/'))).toEqual([
      'suites/suite/package-lock.json',
      'suites/suite/package.json',
      'suites/suite/suite/data/.users.json',
      'suites/suite/suite/data/[a].json',
      'suites/suite/suite/playwright.config.ts',
      'suites/suite/suite/tests/shop.spec.ts',
    ])
    expect(exported['package.json']).toContain('"@playwright/test": "1.65.0"')
  })

  it('is deployed to an empty account by the published client, and the export of that is equal', async () => {
    const { example } = createClientCertificate
    const { key } = Object(example)
    const directory = await cli.locked('exported', exported)
    const names = (exported['.env.example'] ?? '').split('\n').filter((line) => line.endsWith('='))
    const variables = Object.fromEntries(
      names.map((line): [string, string] => [line.slice(0, -1), secretFor(line.slice(0, -1), key)]),
    )
    const missing = await cli.run(directory, ['deploy', '--force'], { ...settings, ...environmentOf(second) })
    expect(missing.code).not.toBe(0)
    expect(missing.output).toContain('SLACK_URL')

    const environment = { ...environmentOf(second), ...variables }
    await runNode(directory, ['without-constructs.mjs', 'before'], environment)
    const { code, output } = await cli.run(directory, ['deploy', '--force'], { ...settings, ...environment })
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('Successfully deployed'),
    })
    await runNode(directory, ['without-constructs.mjs', 'after'], environment)
    expect(await exportFrom(second, 'two')).toEqual(exported)
  })

  it('replaces an earlier export only with --force', async () => {
    const words = [program, 'export', '--out', join(folder, 'two')]
    await expect(runNode(folder, words, environmentOf(second))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("isn't empty"),
    })
    writeFileSync(join(folder, 'two/.env'), 'A=1\n')
    await runNode(folder, [...words, '--force'], environmentOf(second))
    expect(readFiles(join(folder, 'two'))).toEqual({ ...exported, '.env': 'A=1\n' })
  })

  it('has nothing of another account', async () => {
    const [installation] = installations
    const words = ['accounts', 'create', '--name', 'Other', '--owner-email', 'other@example.com', '--json']
    const made: unknown = JSON.parse((await installation?.operate(...words)) ?? '')
    const { id, key } = Object(made)
    const environment = { ...environmentOf(first), CHECKLY_API_KEY: String(key.rawKey) }
    const own = { ...environment, CHECKLY_ACCOUNT_ID: String(id) }
    const { stdout } = await runNode(folder, [program, 'export', '--out', 'empty', '--json'], own)
    const { resources } = JSON.parse(stdout)
    expect(Object.values(resources).every((count) => count === 0)).toBe(true)
    const foreign = runNode(folder, [program, 'export', '--out', 'foreign'], environment)
    await expect(foreign).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/404|403/) })
    expect(readdirSync(folder)).not.toContain('foreign')
  })
})

/** Any value does, where the server doesn't read it. */
function secretFor(name: string, key: unknown): string {
  if (name.endsWith('CERTIFICATE_KEY')) return String(key)
  if (name.endsWith('PASSPHRASE')) return ''
  return name.endsWith('URL') ? `https://example.com/${name.toLowerCase()}` : `value-of-${name.toLowerCase()}`
}

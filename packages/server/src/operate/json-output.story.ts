// Every command of the operator prints one JSON value with --json, and nothing else.
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { furnish, newDataDir, operate, withEmbedded } from '../testing/operator.ts'
import { describeCommands, runCommand } from './run-command.ts'

const dataDir = newDataDir()
const folder = dirname(dataDir)
let accountId: string

beforeAll(async () => {
  accountId = (await withEmbedded(dataDir, (store) => furnish(store, dataDir))).accountId
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Arguments by command, in this order; `last`: the value that the command before printed. */
// biome-ignore lint/suspicious/noExplicitAny: each command prints its own shape
const cases: Record<string, (last: any) => string[]> = {
  'accounts list': () => [],
  'accounts create': () => ['--name', 'Second'],
  'accounts set-plan': (last) => [last.id, 'team'],
  'accounts rename': (last) => [last.id, 'Renamed'],
  'accounts delete': (last) => [last.id, '--yes'],
  'setup-link': () => [],
  'users list': () => [],
  'users create': () => ['--email', 'new@example.com', '--account', accountId, '--role', 'READ_ONLY'],
  'users set-role': () => ['--account', accountId, '--email', 'new@example.com', '--role', 'ADMIN'],
  'users set-email': () => ['new@example.com', 'newer@example.com'],
  'users reset': () => ['newer@example.com'],
  'users remove': () => ['--account', accountId, '--email', 'newer@example.com'],
  'keys list': () => [],
  'keys create': () => ['--account', accountId, '--role', 'READ_ONLY'],
  'keys revoke': (last) => [last.id],
  'agent-keys list': () => [],
  'agent-keys create': () => ['--name', 'Agents'],
  'agent-keys delete': (last) => [last.id],
  'quotas set': () => ['--runs-per-minute', '60'],
  'quotas list': () => [],
  'quotas remove': () => [],
  'links revoke': () => [],
  'pages export': () => [join(folder, 'pages')],
  'secret-key show-fingerprint': () => [],
  'scale-out': () => ['--check'],
  capacity: () => ['--url', '1000'],
  migrate: () => [],
  backup: () => [join(folder, 'backup.tar')],
  restore: () => [join(folder, 'backup.tar'), '--replace', '--yes'],
  'secret-key rotate': () => [],
}

describe('--json', () => {
  it('is tested for every command', () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(describeCommands()).sort())
  })

  it('prints one value', async () => {
    // One PostgreSQL for all commands: each would start its own.
    await withEmbedded(dataDir, async () => {
      let last: unknown
      for (const [name, wordsOf] of Object.entries(cases)) {
        const { code, stdout, stderr } = await operate(
          { DATA_DIR: dataDir },
          ...name.split(' '),
          ...wordsOf(last),
          '--json',
        )
        expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
        last = JSON.parse(stdout)
      }
    })
    expect(existsSync(join(folder, 'backup.tar'))).toBe(true)
  })
})

describe('progress', () => {
  it.each([
    { isTTY: true, options: [], printed: /^table 1 of \d+: / },
    { isTTY: true, options: ['--json'], printed: /^$/ },
    { isTTY: false, options: [], printed: /^$/ },
  ])('of a backup, on a terminal: $isTTY, with $options', async ({ isTTY, options, printed }) => {
    let stderr = ''
    const code = await withEmbedded(dataDir, () =>
      runCommand(['backup', join(folder, `progress-${isTTY}-${options}.tar`), ...options], {
        environment: { DATA_DIR: dataDir },
        stdout: { write: () => true },
        stderr: { isTTY, write: (text) => (stderr += text) },
      }),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(printed) })
  })
})

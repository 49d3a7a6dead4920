import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findPackageManager } from './package-manager.ts'
import { cacheKey } from './prepare-suite.ts'

let root: string
let entries: Map<string, string>

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vedette-manager-'))
  entries = new Map()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    entries.set(path, 'file')
  }
}
const find = (workingDir = '') => findPackageManager(root, workingDir, entries)

describe('the package manager of a suite', () => {
  const berry = '__metadata:\n  version: 8\n  cacheKey: 10\n'
  const rows: [string, Record<string, string>, string][] = [
    ['package-lock.json', { 'package-lock.json': '{}' }, 'npm@11: npm ci'],
    ['npm-shrinkwrap.json', { 'npm-shrinkwrap.json': '{}' }, 'npm@11: npm ci'],
    [
      'pnpm-lock.yaml 9',
      { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" },
      'pnpm@10: pnpm install --frozen-lockfile',
    ],
    [
      'pnpm-lock.yaml 6',
      { 'pnpm-lock.yaml': "lockfileVersion: '6.0'\n" },
      'pnpm@8: pnpm install --frozen-lockfile',
    ],
    [
      'pnpm-lock.yaml 5.4',
      { 'pnpm-lock.yaml': 'lockfileVersion: 5.4\n' },
      'pnpm@7: pnpm install --frozen-lockfile',
    ],
    [
      'yarn.lock of yarn 1',
      { 'yarn.lock': '# yarn lockfile v1\n' },
      'yarn@1: yarn install --non-interactive --frozen-lockfile',
    ],
    ['yarn.lock of yarn 4', { 'yarn.lock': berry }, '@yarnpkg/cli-dist@4: yarn install --immutable'],
    ['bun.lock', { 'bun.lock': '{}' }, 'bun@1: bun install --frozen-lockfile'],
    ['bun.lockb', { 'bun.lockb': '' }, 'bun@1: bun install --frozen-lockfile'],
    ['no lock file', { 'package.json': '{}' }, 'npm@11: npm install'],
    [
      'no lock file, but a name',
      { 'package.json': '{"packageManager":"pnpm@9.1.0+sha512.abc"}' },
      'pnpm@9.1.0: pnpm install --no-frozen-lockfile',
    ],
    [
      'a version of its own',
      { 'package.json': '{"packageManager":"yarn@4.9.1"}', 'yarn.lock': berry },
      '@yarnpkg/cli-dist@4.9.1: yarn install --immutable',
    ],
    [
      'two lock files and a name',
      { 'package.json': '{"packageManager":"bun@1.3.0"}', 'package-lock.json': '{}', 'bun.lock': '' },
      'bun@1.3.0: bun install --frozen-lockfile',
    ],
    [
      'a version in another form',
      { 'package.json': '{"packageManager":"npm@file:../evil"}', 'package-lock.json': '{}' },
      'npm@11: npm ci',
    ],
    ['an invalid manifest', { 'package.json': '{', 'package-lock.json': '{}' }, 'npm@11: npm ci'],
  ]
  for (const [title, files, expected] of rows) {
    test(`is read off ${title}`, async () => {
      put(files)
      const { packageName, version, command } = await find()
      expect(`${packageName}@${version}: ${command}`).toBe(expected)
    })
  }

  test('is the nearest upward from the working directory', async () => {
    put({
      'pnpm-lock.yaml': 'lockfileVersion: 9',
      'apps/e2e/package.json': '{}',
      'apps/web/package-lock.json': '{}',
    })
    expect(await find('apps/e2e')).toMatchObject({
      name: 'pnpm',
      folder: '',
      command: 'pnpm install --frozen-lockfile',
    })
    expect(await find('apps/web')).toMatchObject({ name: 'npm', folder: 'apps/web' })
    expect(await find('apps/web/tests')).toMatchObject({ name: 'npm', folder: 'apps/web' })
  })
})

describe('the key of a cache entry', () => {
  const suite = async (over = {}) => ({
    installCommand: '',
    workingDir: '',
    engine: { name: 'node' as const, version: '24' },
    manager: await find(),
    ...over,
  })

  test('changes with lock files, manifests, command, folder and engine, and with nothing else', async () => {
    put({ 'package.json': '{}', 'package-lock.json': '{}', 'tests/a.spec.ts': '1', 'sub/package.json': '{}' })
    const key = async (over = {}) => cacheKey(root, entries, await suite(over))
    const first = await key()
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    put({ 'tests/a.spec.ts': '2', 'tests/b.spec.ts': '', 'node_modules/x/package.json': '{"a":1}' })
    expect(await key()).toBe(first)
    const others = [
      await key({ installCommand: 'npm ci' }),
      await key({ workingDir: 'sub' }),
      await key({ engine: { name: 'node', version: '22' } }),
      await key({ engine: { name: 'bun', version: '24' } }),
    ]
    put({ 'sub/package.json': '{"a":1}' })
    others.push(await key())
    put({ 'package-lock.json': '{"a":1}' })
    others.push(await key())
    expect(new Set([first, ...others]).size).toBe(7)
  })
})

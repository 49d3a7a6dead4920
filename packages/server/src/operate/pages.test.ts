import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertStatusPage } from '../storage/pages/status-pages.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
const dataDir = newDataDir()
const folder = join(dirname(dataDir), 'site')
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
  const { accountId } = await furnish(database.store, dataDir)
  for (const [url, isPrivate] of [
    ['shop', false],
    ['inside', true],
  ] as const) {
    await insertStatusPage(database.store.db, {
      ...{ id: randomUUID(), account_id: accountId, name: 'Acme', url, is_private: isPrivate },
      settings: JSON.stringify({ defaultTheme: 'AUTO', themeColors: null }),
    })
  }
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('pages export', () => {
  it('writes public pages, and private ones if asked', async () => {
    const { code, json, stderr } = await operate('pages', 'export', folder, '--json')
    expect(code, stderr).toBe(0)
    expect(json.pages).toEqual(['shop'])
    expect(readFileSync(join(folder, 'shop/index.html'), 'utf8')).toContain('<h1>')
    const all = await operate('pages', 'export', folder, '--include-private')
    expect(all.stdout).toContain('of 2 status pages (inside, shop)')
  })

  it('needs a directory', async () => {
    const { code, stderr } = await operate('pages', 'export')
    expect(code).toBe(2)
    expect(stderr).toContain('pages export DIR')
  })
})

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScriptWorld, type ScriptWorld } from './script.fixture.ts'
import { scriptSettings } from './snapshots.ts'

let world: ScriptWorld
beforeAll(async () => {
  world = await openScriptWorld()
}, 60_000)
afterAll(() => world.close())

const scriptPath = 'checks/shop.spec.ts'
const path = `${scriptPath}-snapshots/page-chromium-linux.png`

const script = (color: string) => `
import { test, expect } from '@playwright/test'
test('looks the same', async ({ page }) => {
  await page.setContent('<body style="background: ${color}"></body>')
  await expect(page).toHaveScreenshot('page.png')
})
test('has the settings', async ({ page, baseURL }) => {
  expect([baseURL, page.viewportSize()?.width]).toEqual(['http://shop.test', 300])
})`

const check = {
  scriptPath,
  playwrightConfig: { use: { baseURL: 'http://shop.test', viewport: { width: 300, height: 200 } } },
}

describe('snapshots of a script', () => {
  it('are written, compared with, and differ', { timeout: 120_000, tags: ['story'] }, async () => {
    const first = await world.run(script('red'), { check: { ...check, updateSnapshots: true } })
    expect(first.failure).toBeNull()
    const file = first.files.find(({ name }) => name === path)
    if (file === undefined)
      throw new Error(`expected the snapshot among ${first.files.map(({ name }) => name)}`)
    const snapshots = { 'snapshots/1': readFileSync(file.path) }
    await first.release()

    const named = { ...check, snapshots: [{ key: 'snapshots/1', path }] }
    const same = await world.run(script('red'), { check: named, snapshots })
    expect(same.failure).toBeNull()
    expect(same.files.map(({ name }) => name)).not.toContain(path)
    await same.release()

    const other = await world.run(script('blue'), { check: named, snapshots })
    expect(other.outcome).toBe('failed')
    expect(other.failure?.message).toContain('toHaveScreenshot')
    expect(other.files.some(({ name }) => name.endsWith('-diff.png'))).toBe(true)
    await other.release()
  })

  it('that lead out of the directory or that nobody has are refused', { timeout: 60_000 }, async () => {
    const outside = { ...check, snapshots: [{ key: 'snapshots/1', path: '../outside.png' }] }
    const run = (settings: object) => world.run(script('red'), { check: { ...settings } })
    await expect(run(outside)).rejects.toThrow('"../outside.png" is not allowed')
    const missing = { ...check, snapshots: [{ key: 'snapshots/2', path }] }
    await expect(run(missing)).rejects.toThrow("snapshots/2 doesn't exist")
  })
})

it('settings of the runner that a script may not have are left out', () => {
  const playwrightConfig = { timeout: 5, reporter: 'html', globalSetup: './x.ts', use: { locale: 'de' } }
  const job = { checkType: 'BROWSER', playwrightConfig } as unknown as Parameters<typeof scriptSettings>[0]
  expect(scriptSettings(job).playwrightConfig).toEqual({ timeout: 5, use: { locale: 'de' } })
})

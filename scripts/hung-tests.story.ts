import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const files = {
  'vitest.config.mjs': 'export default { test: { testTimeout: 500, maxWorkers: 3 } }',
  'fine.test.mjs': "import { it } from 'vitest'; it('ends', () => {})",
  'loop.test.mjs': "import { it } from 'vitest'; it('counts', function count() { for (;;); })",
  'child.test.mjs': `import { execFileSync } from 'node:child_process'
    import { it } from 'vitest'
    it('waits', () => { execFileSync('sleep', ['987']) })`,
}

describe('tests that block their process', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-hung-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are ended and named, with what their process waits for; others pass', () => {
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/hung-tests.mjs')}`]
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', ...reporters], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 85_000,
      env: { PATH: process.env.PATH, NO_COLOR: '1', TEST_PATIENCE_SECONDS: '15' },
    })
    expect(stdout).toMatch(
      /What runs:\n {2}(child|loop)\.test\.mjs\n {2}(child|loop)\.test\.mjs\nThe processes/,
    )
    expect(stdout).toContain('sleep 987')
    expect(stdout).toMatch(/The JavaScript of \d+:\n {2}count .*loop\.test\.mjs:\d+\n/)
    expect(stderr).toContain('Worker exited unexpectedly')
    expect(stdout).toMatch(/Test Files +1 passed/)
    expect(status).toBe(1)
  })
})

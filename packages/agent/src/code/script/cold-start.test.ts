// Runtimes whose files are not where the host looks for them: another version of Playwright, or a broken installation.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobExample } from '../../connection/agent-server.fixture.ts'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import type { OpenCell } from '../../sandbox/cell.ts'
import { cellLevel, cellOpener, closeCells } from '../../sandbox/open-cell.ts'
import { makeBaseFolder } from '../../sandbox/stage.ts'
import type { RuntimeState } from './host-starter.ts'
import { scriptRunner } from './run-script.ts'
import { browsersFor } from './script.fixture.ts'
import { ScriptHosts } from './script-host.ts'

const openCell = cellOpener('auto')

let base: string
let runtime: InstalledRuntime
let browsers: Awaited<ReturnType<typeof browsersFor>>
beforeAll(async () => {
  base = makeBaseFolder()
  runtime = await checkoutRuntime()
  browsers = await browsersFor(runtime, (await cellLevel()).level, base)
}, 600_000)
afterAll(async () => {
  await closeCells()
  rmSync(base, { recursive: true, force: true })
})

const network = networkPolicy({ mode: 'default' })

async function runWith(name: string, open: (folder: string) => OpenCell, scripts: readonly string[]) {
  const folder = join(base, name)
  const states: RuntimeState[] = []
  const onLoaded = (state: RuntimeState) => void states.push(state)
  const hosts = new ScriptHosts({ folder, openCell: open(folder), runtime, browsers, network, onLoaded })
  const run = scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: runtime.name }), limitMs: 100_000 })
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const context = { signal: new AbortController().signal, clock, network, userAgent: 'Vedette/test' }
  const outcomes = []
  try {
    for (const script of scripts) {
      const check = {
        checkType: 'BROWSER' as const,
        name: 'Shop',
        script,
        scriptPath: null,
        dependencies: [],
      }
      const outcome = await run(jobExample('http://127.0.0.1/', { checkType: 'BROWSER', check }), context)
      outcomes.push(outcome)
      await outcome.release()
    }
    return { outcomes, states }
  } finally {
    await hosts.close()
    expect(states).not.toEqual([])
    reported = states
  }
}

let reported: RuntimeState[] = []

describe('a runtime', { timeout: 300_000 }, () => {
  it('with other paths starts more slowly, with a reason, and still records pages', {
    tags: ['story'],
  }, async () => {
    const moved = (folder: string): OpenCell => {
      return (settings, signal) => {
        const file = join(folder, 'load-ahead.cjs')
        const text = readFileSync(file, 'utf8')
        writeFileSync(file, text.replaceAll('/lib/program.js', '/lib/moved.js'))
        return openCell(settings, signal)
      }
    }
    const page = 'data:text/html,<title>Shop</title><script>console.error("boom")</script>'
    const test = `import { test, expect } from '@playwright/test'
      test('looks', async ({ page }) => { await page.goto('${page}'); await expect(page).toHaveTitle('Shop') })
      test('fails', () => expect(1).toBe(2))`
    const plain = "const word: string = 'typed'\nconsole.log('printed ' + word)"
    const { outcomes, states } = await runWith('moved', moved, [test, plain])
    const [tested, typed] = outcomes
    expect(tested).toMatchObject({ outcome: 'failed', failure: { kind: 'assertion' } })
    expect(tested?.detail).toMatchObject({
      tests: [
        { title: 'looks', outcome: 'expected' },
        { title: 'fails', outcome: 'unexpected' },
      ],
      traceSummary: { consoleErrors: 1 },
    })
    expect(typed).toMatchObject({ outcome: 'passed' })
    expect(typed?.log.map(({ msg }) => msg)).toContain('printed typed')
    expect(states[0]).toEqual({
      problem: null,
      coldReasons: [expect.stringMatching(/^Cannot find module '.*playwright\/lib\/moved\.js'/)],
    })
  })

  it('loads parts that hosts defer when a script uses them', async () => {
    const details = `import { test, expect } from '@playwright/test'
      test('plain', () => expect(test.info().tags).toEqual([]))
      test('tagged', { tag: ['@fast'], annotation: { type: 'issue', description: '12' } }, () => {
        expect(test.info().tags).toEqual(['@fast'])
        expect(test.info().annotations).toMatchObject([{ type: 'issue', description: '12' }])
      })`
    const wrong = "import { test } from '@playwright/test'\ntest('mistagged', { tag: 'fast' }, () => {})"
    const { outcomes } = await runWith('deferred', () => openCell, [details, wrong])
    expect(outcomes[0]).toMatchObject({ outcome: 'passed', failure: null })
    expect(outcomes[1]?.failure?.message).toContain("Tag must start with '@'")
  })

  it('without Playwright is named in the error of the run', async () => {
    const broken = (): OpenCell => (settings, signal) => {
      const mounts = [...settings.mounts, { from: join(base, 'browsers'), to: '/node_modules/@playwright' }]
      return openCell({ ...settings, mounts }, signal)
    }
    await expect(runWith('broken', broken, ['1'])).rejects.toThrow(
      /^The runtime 2026\.04 couldn't be loaded: Cannot find module '.*@playwright\/test'/,
    )
    expect(reported[0]?.problem).toContain("couldn't be loaded")
  })
})

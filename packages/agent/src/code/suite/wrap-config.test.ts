import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const inside = fileURLToPath(new URL('./inside', import.meta.url))
const wrap = createRequire(import.meta.url)(join(inside, 'wrap-config.cjs')) as (
  config: unknown,
  settings: unknown,
) => Record<string, unknown> & { use: Record<string, unknown>; projects: { use: Record<string, unknown> }[] }
const settings = {
  cliReporter: null,
  reporter: '/r.cjs',
  results: '/results.jsonl',
  jsonReport: '/report.json',
  userAgentSuffix: 'Vedette/1',
  defaultUserAgent: 'Desktop',
  hasVideo: true,
}
const ours = [
  ['json', { outputFile: '/report.json' }],
  ['/r.cjs', { results: '/results.jsonl' }],
]

describe('a wrapped configuration', () => {
  // The machine that runs these tests may be a CI itself.
  beforeEach(() => {
    vi.stubEnv('CI', undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('has defaults for what the suite does not set', () => {
    expect(wrap({}, settings)).toEqual({
      workers: 4,
      retries: 2,
      reporter: [['list'], ...ours],
      use: {
        video: 'on-first-retry',
        screenshot: 'only-on-failure',
        trace: 'on',
        userAgent: 'Desktop Vedette/1',
      },
    })
    expect(wrap({}, { ...settings, hasVideo: false }).use.video).toBeUndefined()
  })

  test('reports in dots where the run is one of a CI, as the runner does', () => {
    vi.stubEnv('CI', 'true')
    expect(wrap({}, settings).reporter).toEqual([['dot'], ...ours])
  })

  test('keeps the settings of the suite, except traces and the user agent', () => {
    const mark = Symbol('defineConfig')
    const wrapped = wrap(
      {
        default: {
          [mark]: true,
          workers: 1,
          retries: 0,
          testDir: './e2e',
          webServer: { command: 'x' },
          reporter: 'html',
          use: {
            video: 'off',
            screenshot: 'off',
            trace: { mode: 'off', sources: false },
            baseURL: 'http://x',
          },
          projects: [
            { name: 'a', use: { userAgent: 'Own', trace: 'off' } },
            { name: 'b', use: { browserName: 'firefox' }, retries: 5 },
            { name: 'c' },
          ],
        },
      },
      settings,
    )
    expect(wrapped).toMatchObject({ workers: 1, retries: 0, testDir: './e2e', webServer: { command: 'x' } })
    expect(wrapped[mark as unknown as string]).toBe(true)
    expect(wrapped.reporter).toEqual([['html'], ...ours])
    expect(wrapped.use).toEqual({
      video: 'off',
      screenshot: 'off',
      trace: { mode: 'on', sources: false },
      baseURL: 'http://x',
    })
    expect(wrapped.projects).toEqual([
      { name: 'a', use: { userAgent: 'Own Vedette/1', trace: 'on' } },
      { name: 'b', use: { browserName: 'firefox' }, retries: 5 },
      { name: 'c', use: { userAgent: 'Desktop Vedette/1' } },
    ])
  })

  test('takes the reporters of the command line before those of the suite', () => {
    const wrapped = wrap({ reporter: [['html']] }, { ...settings, cliReporter: [['line'], ['/own.js']] })
    expect(wrapped.reporter).toEqual([['line'], ['/own.js'], ...ours])
  })
})

// How the command line is changed; run-suite.test.ts tests the real runner.
describe('the command line of the runner', () => {
  let base: string
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'vedette-hook-'))
    const runner = join(base, 'node_modules/@playwright/test')
    mkdirSync(runner, { recursive: true })
    mkdirSync(join(base, 'report'))
    mkdirSync(join(base, 'pw'))
    writeFileSync(
      join(runner, 'cli.js'),
      `const at = process.argv.indexOf('--config')
       const wrapper = process.argv[at + 1]
       console.log(JSON.stringify({ args: process.argv.slice(2), wrapper, text: at > 0 ? require('fs').readFileSync(wrapper, 'utf8') : '' }))`,
    )
    for (const file of ['playwright.config.ts', 'pw/custom.config.js', 'pw/playwright.config.cjs'])
      writeFileSync(join(base, file), '')
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  const run = (args: string[], program = 'node_modules/@playwright/test/cli.js') => {
    const given = { inside, report: join(base, 'report'), userAgentSuffix: 'V', hasVideo: false }
    const out = execFileSync(process.execPath, ['--require', join(inside, 'hook.cjs'), program, ...args], {
      cwd: base,
      env: { VEDETTE_SUITE: JSON.stringify(given) },
      encoding: 'utf8',
    })
    return JSON.parse(out) as { args: string[]; wrapper: string; text: string }
  }

  test('names a wrapper beside the configuration, which is gone afterwards', () => {
    const { args, wrapper, text } = run(['test', 'tests/a.spec.ts', '--grep', '@smoke|@x'])
    expect(args).toEqual(['test', '--config', wrapper, 'tests/a.spec.ts', '--grep', '@smoke|@x'])
    expect(wrapper).toMatch(/\/playwright\.vedette-\d+\.config\.ts$/)
    expect(text).toContain('import config from "./playwright.config.ts"')
    expect(existsSync(wrapper)).toBe(false)
  })

  test.each([
    [['test', '-c', 'pw/custom.config.js', '--trace', 'off'], '"./custom.config.js"', []],
    [
      ['test', '--config=pw/custom.config.js', '--project', 'a', 'b'],
      '"./custom.config.js"',
      ['--project', 'a', 'b'],
    ],
    [['test', '-cpw', '--workers=2'], 'require("./playwright.config.cjs")', ['--workers=2']],
    [['test', '--trace=off', '--', '--config'], '"./playwright.config.ts"', ['--', '--config']],
  ])('%j is understood as the runner would', (args, imported, rest) => {
    const { text, args: became, wrapper } = run(args)
    expect(text).toContain(imported)
    expect(became).toEqual(['test', '--config', wrapper, ...rest])
  })

  test('hands its reporters to the wrapper, and each of two runs has a report of its own', () => {
    writeFileSync(join(base, 'own.js'), '')
    const { text, args } = run(['test', '--reporter=line,./own.js'])
    expect(text).toContain(`"cliReporter":[["line"],["${join(base, 'own.js')}"]]`)
    expect(args).toHaveLength(3)
    expect(text).toContain('/report.json"')
    expect(run(['test']).text).toContain('/report-2.json"')
    expect(readdirSync(join(base, 'report')).sort()).toEqual(['report-2.json', 'report.json'])
  })

  test('of any other program stays as it is', () => {
    expect(run(['show-report', 'x']).args).toEqual(['show-report', 'x'])
    writeFileSync(join(base, 'other.js'), readFileSync(join(base, 'node_modules/@playwright/test/cli.js')))
    expect(run(['test', 'x'], 'other.js').args).toEqual(['test', 'x'])
  })
})

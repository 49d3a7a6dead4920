// The browser that is there before the script: who launches as most do gets it, everyone else one of their own.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Level, type Mode, openSpareWorld, type SpareWorld } from './spare-browser.fixture.ts'

const passed = { outcome: 'passed', failure: null }
const modes: Mode[] = ['plain', 'test']

const opensPage = `
  const before = browsers()
  const browser = await chromium.launch()
  const pid = await pidOf(browser)
  const page = await browser.newPage()
  await page.goto('data:text/html,<title>Shop</title>')
  const title = await page.title()
  const during = browsers()
  await browser.close()
  report({ before, pid, title, during, after: browsers(), folders: folders() })`

const opensOther = (prepare: string, options = '') => `
  const [spare] = browsers()
  ${prepare}
  const browser = await chromium.launch(${options})
  const pid = await pidOf(browser)
  const page = await browser.newPage()
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  await until(() => !browsers().includes(spare))
  const during = browsers()
  await browser.close()
  await until(() => folders().length === 0)
  report({ spare, pid, zone, during, folders: folders() })`

/** Each run starts a host and its browser: where the way is the same at both levels, one of the two shows it. */
const ways: { level: Level; launching: Mode[]; unwanting: Mode; tags: string[] }[] = [
  { level: 'strong', launching: modes, unwanting: 'test', tags: [] },
  { level: 'fallback', launching: ['test'], unwanting: 'plain', tags: ['story'] },
]

for (const { level, launching, unwanting, tags } of ways)
  describe(`a spare browser, ${level} level`, { timeout: 120_000, tags }, () => {
    let world: SpareWorld | null
    beforeAll(async () => {
      world = await openSpareWorld(level)
    }, 300_000)
    afterAll(() => world?.close())

    it.for(launching)('is the one that a script launches (%s)', async (mode, { skip }) => {
      if (!world) return skip()
      const { reported, ...end } = await world.run(mode, opensPage)
      expect(end).toEqual(passed)
      const { pid } = reported
      expect(reported).toEqual({ before: [pid], pid, title: 'Shop', during: [pid], after: [], folders: [] })
    })

    it('ends with a run that does not use it', async ({ skip }) => {
      if (!world) return skip()
      const { reported, ...end } = await world.run(unwanting, 'report(browsers().map(profileOf))')
      expect(end).toEqual(passed)
      expect(reported).toHaveLength(1)
      expect(commandLines().filter((line) => line.includes(reported[0]))).toEqual([])
    })
  })

describe('another browser than the spare one', { timeout: 120_000 }, () => {
  let world: SpareWorld
  beforeAll(async () => {
    const opened = (await openSpareWorld('strong')) ?? (await openSpareWorld('fallback'))
    if (!opened) throw new Error('this host supports neither namespaces nor other users')
    world = opened
  }, 300_000)
  afterAll(() => world.close())

  interface Other {
    name: string
    mode: Mode
    script: string
    variables?: Record<string, string>
    zone?: string
  }
  const others: Other[] = [
    { name: 'for other arguments', mode: 'test', script: opensOther('', `{ args: ['--lang=de'] }`) },
    {
      name: 'for a time zone among the variables',
      mode: 'test',
      script: opensOther(''),
      variables: { TZ: 'Asia/Tokyo' },
      zone: 'Asia/Tokyo',
    },
    {
      name: 'for an environment of its own',
      mode: 'plain',
      script: opensOther('', `{ env: { ...process.env, TZ: 'Asia/Tokyo' } }`),
      zone: 'Asia/Tokyo',
    },
    {
      name: 'for settings in the home folder',
      mode: 'plain',
      script: opensOther(`fs.writeFileSync(process.env.HOME + '/.fonts.conf', '<fontconfig/>')`),
    },
    {
      name: 'in another folder',
      mode: 'plain',
      script: opensOther(`fs.mkdirSync('sub'); process.chdir('sub')`),
    },
  ]
  const afterDeath: Other = {
    name: 'where the spare one has died',
    mode: 'test',
    script: opensOther(`process.kill(spare, 'SIGKILL'); await until(() => browsers().length === 0)`),
  }
  it.for([afterDeath])('is launched $name ($mode)', expectOther)
  it.for(others)('is launched $name ($mode)', { tags: ['story'] }, expectOther)

  async function expectOther({ mode, script, variables = {}, zone = 'UTC' }: Other): Promise<void> {
    const { reported, ...end } = await world.run(mode, script, { job: { variables } })
    expect(end).toEqual(passed)
    expect(reported.spare).toBeGreaterThan(0)
    expect(reported.pid).not.toBe(reported.spare)
    expect(reported).toEqual({
      spare: reported.spare,
      pid: reported.pid,
      zone,
      during: [reported.pid],
      folders: [],
    })
  }

  it('is returned by a second launch', { tags: ['story'] }, async () => {
    const { reported, ...end } = await world.run(
      'plain',
      `const [spare] = browsers()
      const first = await chromium.launch()
      const second = await chromium.launch()
      const pids = [await pidOf(first), await pidOf(second)]
      await first.close()
      await second.close()
      report({ spare, pids, folders: folders() })`,
    )
    expect(end).toEqual(passed)
    expect(reported.pids[0]).toBe(reported.spare)
    expect(reported.pids[1]).not.toBe(reported.spare)
    expect(reported.folders).toEqual([])
  })

  it('is used by the next run', { tags: ['story'] }, async () => {
    const script = `
      const started = fs.readFileSync('/proc/' + browsers()[0] + '/stat', 'latin1').split(') ')[1].split(' ')[19]
      const browser = await chromium.launch()
      const session = await browser.newBrowserCDPSession()
      const { targetInfos } = await session.send('Target.getTargets')
      await (await browser.newPage()).goto('data:text/html,mine')
      report({ started, pages: targetInfos.filter(({ type }) => type === 'page').length })`
    const close = 'await browser.close()'
    const runs = [await world.run('plain', `${script};${close}`), await world.run('test', script)]
    expect(runs.map(({ outcome, reported }) => [outcome, reported.pages])).toEqual(
      Array(2).fill(['passed', 0]),
    )
    expect(new Set(runs.map(({ reported }) => reported.started)).size).toBe(2)
  })

  it('or the spare one: its exit is reported', { tags: ['story'] }, async () => {
    const { reported, ...end } = await world.run(
      'test',
      `const [spare] = browsers()
      const server = await chromium.launchServer()
      const ended = new Promise((settle) => server.on('close', (code, signal) => settle({ code, signal })))
      const { pid } = server.process()
      process.kill(pid, 'SIGKILL')
      const how = await ended
      await until(() => folders().length === 0)
      report({ isSpare: pid === spare, how, folders: folders() })`,
    )
    expect(end).toEqual(passed)
    expect(reported).toEqual({ isSpare: true, how: { code: null, signal: 'SIGKILL' }, folders: [] })
  })

  it('is neither started nor kept for multi-step checks', { tags: ['story'] }, async () => {
    const job = { checkType: 'MULTI_STEP' as const }
    const unused = await world.run('plain', 'report(browsers())', { job, hasSpare: false })
    expect(unused.reported).toEqual([])
    const body =
      'await until(() => browsers().length + folders().length === 0); report([browsers(), folders()])'
    expect((await world.run('test', body, { job })).reported).toEqual([[], []])
  })
})

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      } catch {
        return ''
      }
    })
}

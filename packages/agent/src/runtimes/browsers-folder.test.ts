// Real launches by several versions of Playwright, the runtime's and others, of the Chromium that this machine has.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserPrograms, findBrowsers } from './browsers.ts'
import { layOutBrowsers } from './browsers-folder.ts'
import { checkoutRuntime, installPatienceMs } from './installed-runtime.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'vedette-layout-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const others = ['1.42.1', '1.51.1', '1.65.0'] as const
/** Folder of playwright-core by version. */
const cores = new Map<string, string>()

beforeAll(async () => {
  const runtime = await checkoutRuntime()
  cores.set(runtime.playwrightVersion, join(runtime.folder, 'node_modules/playwright-core'))
}, installPatienceMs)

function installOthers(): void {
  const dependencies = Object.fromEntries(others.map((v) => [`core-${v}`, `npm:playwright-core@${v}`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  execFileSync('npm', ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'ignore',
  })
  for (const version of others) cores.set(version, join(folder, `node_modules/core-${version}`))
}

const layOut = (name: string, playwrightCore: string, programs: BrowserPrograms = findBrowsers({})) =>
  layOutBrowsers({
    playwrightCore,
    into: join(folder, `browsers-${name}`),
    browserArgs: ['--no-sandbox', "--user-agent=it's Vedette"],
    programs,
  })

interface Seen {
  title: string
  agent: string
  png: string
  plugins: number
  video: string
}

/** Runs the version's own API with no setting but the path of its browsers. */
function lookAround(core: string, browsers: string, options: object): Seen {
  const program = `
    const { chromium } = require(${JSON.stringify(core)});
    (async () => {
      const browser = await chromium.launch(${JSON.stringify(options)})
      const context = await browser.newContext({ recordVideo: { dir: ${JSON.stringify(folder)} } })
      const page = await context.newPage()
      await page.goto('data:text/html,<h1>shop</h1>')
      const png = (await page.screenshot()).subarray(1, 4).toString()
      const [agent, plugins] = await page.evaluate(() => [navigator.userAgent, navigator.plugins.length])
      const title = await page.textContent('h1')
      await context.close()
      console.log(JSON.stringify({ title, agent, png, plugins, video: await page.video().path() }))
      await browser.close()
    })()`
  const environment = { PATH: '/usr/bin:/bin', HOME: folder, PLAYWRIGHT_BROWSERS_PATH: browsers }
  // Nothing else would end a browser that hangs.
  const limits = { timeout: 50_000, killSignal: 'SIGKILL' } as const
  const settings = { env: environment, encoding: 'utf8', ...limits } as const
  return JSON.parse(execFileSync(process.execPath, ['-e', program], settings))
}

/** Versions without the channel `chromium` start the full browser this way. */
const fullBrowser: Record<string, object> = {
  '1.42.1': { headless: false, args: ['--headless=new'] },
}

describe('for Playwright 1.58.2', () => launches('1.58.2'))
describe('for other versions of Playwright', { tags: ['story'] }, () => {
  beforeAll(installOthers, installPatienceMs)
  describe.each(others)('%s', launches)
})

function launches(version: string): void {
  it.each([
    // The shell has no PDF viewer among its plugins, the full browser has.
    ['the headless shell', {}, 0],
    ['the full browser', fullBrowser[version] ?? { channel: 'chromium' }, 5],
  ])(
    'launches %s with our arguments, takes a screenshot and records a video',
    async (what, options, plugins) => {
      const core = cores.get(version)!
      const { folder: browsers, installed, hasVideo } = await layOut(`${version} ${what}`, core)
      expect(installed).toEqual(expect.arrayContaining(['chromium', 'chromium-headless-shell']))
      expect(hasVideo).toBe(true)
      const { video, ...seen } = lookAround(core, browsers, options)
      expect(seen).toEqual({ title: 'shop', agent: "it's Vedette", png: 'PNG', plugins })
      // EBML, which webm is made of.
      expect(readFileSync(video).subarray(0, 4)).toEqual(Buffer.from([0x1a, 0x45, 0xdf, 0xa3]))
    },
    60_000,
  )
}

describe('layOutBrowsers', () => {
  const browsersFile = (browsers: unknown) => {
    const core = mkdtempSync(join(folder, 'core-'))
    writeFileSync(join(core, 'browsers.json'), JSON.stringify({ browsers }))
    return core
  }
  const none: BrowserPrograms = {
    chromium: null,
    headlessShell: null,
    ffmpeg: null,
    downloads: null,
    isChosen: false,
  }
  const download = (path: string) => {
    const full = join(folder, 'downloads', path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, '#!/bin/sh\n', { mode: 0o755 })
    return full
  }

  it('has firefox and webkit only if that revision was downloaded, and lists what must be readable', async () => {
    download('firefox-1509/firefox/firefox')
    download('webkit-2000/pw_run.sh')
    const core = browsersFile([
      { name: 'firefox', revision: '1509' },
      { name: 'webkit', revision: '2248' },
    ])
    const downloads = join(folder, 'downloads')
    const { folder: browsers, installed, reads } = await layOut('patched', core, { ...none, downloads })
    expect(installed).toEqual(['firefox'])
    expect(reads).toEqual([downloads])
    expect(readFileSync(join(browsers, 'firefox-1509/firefox/firefox'), 'utf8')).toBe('#!/bin/sh\n')
  })

  it("uses Playwright's own Chromium of the right revision, unless the operator chose another", async () => {
    const own = download('chromium-1208/chrome-linux64/chrome')
    const core = browsersFile([
      { name: 'chromium', revision: '1208' },
      { name: 'chromium-headless-shell', revision: '1208' },
    ])
    const programs = { ...none, chromium: '/opt/chosen', downloads: join(folder, 'downloads') }
    const launcherIn = (browsers: string) =>
      readFileSync(join(browsers, 'chromium-1208/chrome-linux64/chrome'), 'utf8')
    expect(launcherIn((await layOut('own', core, programs)).folder)).toContain(own)
    const chosen = await layOut('chosen', core, { ...programs, isChosen: true })
    expect(launcherIn(chosen.folder)).toContain("'/opt/chosen'")
    expect(chosen.reads).toEqual(['/opt'])
  })

  it('lays out nothing if nothing is installed', async () => {
    const core = browsersFile([{ name: 'chromium', revision: '1208' }])
    expect(await layOut('none', core, none)).toMatchObject({ installed: [], hasVideo: false, reads: [] })
  })

  it('has a directory for every distribution whose revision differs', async () => {
    const core = browsersFile([
      { name: 'ffmpeg', revision: '1011', revisionOverrides: { 'debian11-x64': '1010', mac12: '1009' } },
    ])
    const { folder: browsers } = await layOut('overrides', core, { ...none, ffmpeg: '/usr/bin/ffmpeg' })
    const text = (path: string) => readFileSync(join(browsers, path, 'ffmpeg-linux'), 'utf8')
    expect(text('ffmpeg_debian11_x64_special-1010')).toBe(text('ffmpeg-1011'))
  })

  it.each([
    ['a name that leads elsewhere', [{ name: '../../etc', revision: '1' }]],
    ['a revision that leads elsewhere', [{ name: 'chromium', revision: '1/../../../x' }]],
    ['no list', 'chromium'],
  ])("refuses a suite's browsers.json with %s", async (_what, browsers) => {
    await expect(layOut('hostile', browsersFile(browsers))).rejects.toThrow("can't read the browsers.json")
  })

  it('follows no link from browsers.json', async () => {
    const core = mkdtempSync(join(folder, 'core-'))
    writeFileSync(join(folder, 'secret.json'), '{"browsers":[]}')
    symlinkSync(join(folder, 'secret.json'), join(core, 'browsers.json'))
    await expect(layOut('linked', core)).rejects.toThrow("can't read the browsers.json")
  })
})

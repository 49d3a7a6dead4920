// A hostile script that has a browser: what it gets at through it.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { checkoutRuntime, installPatienceMs } from '../runtimes/installed-runtime.fixture.ts'
import {
  cellSettings,
  closeCell,
  newMark,
  processesWith,
  runNode,
  skipWithoutIsolation,
  startNode,
} from '../sandbox/cell.fixture.ts'
import type { Cell, CellSettings } from '../sandbox/cell.ts'
import { codeLimits } from '../sandbox/code-limits.ts'
import { cellLevel, cellOpener, closeCells } from '../sandbox/open-cell.ts'
import { browserArgs } from './browser-args.ts'

const openCell = cellOpener('auto')

const { signal } = new AbortController()

let folder: string
let isStrong: boolean
let mounts: CellSettings['mounts']
let browser: string
let port: number
const seen: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agent-data-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'key.txt'), 'the key of the agent', { mode: 0o644 })
  isStrong = (await cellLevel()).level === 'strong'
  const runtime = await checkoutRuntime()
  mounts = [{ from: join(runtime.folder, 'node_modules'), to: '/node_modules' }]
  browser = findBrowsers({}).headlessShell ?? ''
  port = await listen(
    createServer((request, response) => {
      seen.push(`${request.headers.host} ${request.url}`)
      response.setHeader('content-type', 'text/html').end('<title>inner</title>the inner page')
    }),
  )
}, installPatienceMs)

afterAll(async () => {
  await closeCells()
  await closeListeners()
  rmSync(folder, { recursive: true })
})

const open = (settings: Partial<CellSettings> = {}) =>
  openCell({ ...cellSettings, mounts, ...settings }, signal)

/** The script's `browser` is open, its `value` is what it comes to. */
const withBrowser = (code: string, args: string[] = []) => `
  import { createRequire } from 'node:module'
  const { chromium } = createRequire('/node_modules/')('playwright')
  const args = ${JSON.stringify([...browserArgs('strong'), ...args])}
  const browser = await chromium.launch({ executablePath: ${JSON.stringify(browser)}, args })
  const page = await browser.newPage()
  const show = async (url) => {
    const own = await browser.newPage()
    try {
      await own.goto(url, { timeout: 10_000 })
      return (await own.locator('body').innerText()).slice(0, 500)
    } catch (error) {
      return 'error: ' + error.message.split('\\n')[0]
    }
  }
  ${code}
  console.log(JSON.stringify(value))
  process.exit()`

async function outcomeOf(cell: Cell, code: string): Promise<unknown> {
  const { stdout, stderr, end } = await runNode(cell, withBrowser(code))
  if (stdout === '') throw new Error(`${JSON.stringify(end)} ${stderr}`)
  return JSON.parse(stdout)
}

describe('through a browser', () => {
  it('a page reads only files of the cell, and no refused address', async ({ skip }) => {
    if (!isStrong) return skipWithoutIsolation(skip)
    const cell = await open({ network: networkPolicy({ mode: 'public' }) })
    const key = join(folder, 'key.txt')
    const value = (await outcomeOf(
      cell,
      `const value = {
        own: await show('file:///etc/passwd'),
        files: [],
      }
      for (const url of ${JSON.stringify([
        `file://${key}`,
        `view-source:file://${key}`,
        `file:///proc/${process.pid}/environ`,
        `file://${folder}/`,
        'file:///etc/shadow',
        'file:///root/',
      ])}) value.files.push(await show(url))
      value.addresses = []
      for (const url of ${JSON.stringify([
        'http://169.254.169.254/latest/meta-data/',
        'http://[::ffff:169.254.169.254]/',
        `http://127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        `http://[::ffff:127.0.0.1]:${port}/`,
        `http://2130706433:${port}/`,
      ])}) value.addresses.push(await show(url))
      await page.setContent('x')
      value.inner = await page.evaluate((port) => Promise.all([
        fetch('http://127.0.0.1:' + port, { mode: 'no-cors' }).then(() => 'got', () => 'nothing'),
        new Promise((done) => { const socket = new WebSocket('ws://127.0.0.1:' + port); socket.onopen = () => done('got'); socket.onerror = () => done('nothing') }),
        new Promise((done) => { const image = new Image(); image.onload = () => done('got'); image.onerror = () => done('nothing'); image.src = 'file://${key}' }),
      ]), ${port})`,
    )) as Record<'own' | 'files' | 'addresses' | 'inner', string[] & string>
    await closeCell(cell)
    expect(value.own).toMatch(/^root:x:0:0::\/tmp:\/bin\/sh/)
    expect(value.own).not.toContain('daemon')
    expect(value.files).toHaveLength(6)
    for (const outcome of value.files)
      expect(outcome).toMatch(/^error: .*ERR_(FILE_NOT_FOUND|ACCESS_DENIED|ABORTED)/)
    expect(value.addresses).toHaveLength(6)
    for (const outcome of value.addresses) expect(outcome).toMatch(/^error: .*net::ERR_/)
    expect(value.inner).toEqual(['nothing', 'nothing', 'nothing'])
    expect(seen).toEqual([])
    expect(cell.connectionFailures().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['blocked']))
  })

  it('a run sees only its own pages', { tags: ['story'] }, async ({ skip }) => {
    if (!isStrong) return skipWithoutIsolation(skip)
    const cells = [await open(), await open()]
    const code = (name: string) => `
      await page.setContent('<title>${name}</title>')
      await page.context().addCookies([{ name: '${name}', value: 'x', url: 'http://shop.test' }])
      const session = await browser.newBrowserCDPSession()
      let value
      for (let looks = 0; looks < 10; looks++) {
        const { targetInfos } = await session.send('Target.getTargets')
        const { cookies } = await session.send('Storage.getCookies').catch(() => ({ cookies: [] }))
        value = { titles: targetInfos.map(({ title }) => title).filter(Boolean), cookies: cookies.map(({ name }) => name) }
        await new Promise((done) => setTimeout(done, 50))
      }`
    const values = (await Promise.all(cells.map((cell, index) => outcomeOf(cell, code(`run-${index}`))))) as {
      titles: string[]
      cookies: string[]
    }[]
    for (const cell of cells) await closeCell(cell)
    for (const [index, { titles, cookies }] of values.entries()) {
      const others = [...titles, ...cookies].filter((name) => /run-/.test(name) && name !== `run-${index}`)
      expect(titles).toContain(`run-${index}`)
      expect(others).toEqual([])
    }
  })

  it('a page ends at the memory limit, and a detached browser ends with the cell', {
    tags: ['story'],
  }, async ({ skip }) => {
    if (!isStrong) return skipWithoutIsolation(skip)
    const mark = newMark()
    const cell = await open({ limits: { ...codeLimits, memoryBytes: 900 * 1024 * 1024 } })
    const hungry = withBrowser(`
      const value = await page.evaluate(() => { const all = []; for (let i = 0; i < 100; i++) all.push(new Uint8Array(1e8).fill(1)); return all.length }).catch(() => 'crashed')
      await new Promise(() => {})`)
    const running = await startNode(cell, hungry, { MARK: mark })
    const { end } = await running.ended
    expect(end.reason).toBe('memory')
    await closeCell(cell)
    expect(processesWith(mark)).toEqual([])

    const free = await open()
    const program = `
      import { spawn } from 'node:child_process'
      spawn(${JSON.stringify(browser)}, [...${JSON.stringify(browserArgs('strong'))}, '--remote-debugging-port=9333', 'about:blank'], { detached: true, stdio: 'ignore' }).unref()
      let found = null
      while (!found) found = await fetch('http://127.0.0.1:9333/json/version').then((response) => response.json(), () => null)
      console.log(found.Browser)`
    expect((await runNode(free, program, { MARK: mark })).stdout).toMatch(/Chrome/)
    expect(processesWith(mark).length).toBeGreaterThan(0)
    await closeCell(free)
    expect(processesWith(mark)).toEqual([])
  })
})

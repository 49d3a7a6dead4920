// What the genuine test runner leaves of a run with secrets everywhere: nothing of them is kept, and the genuine viewer
// still opens the trace.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectFiles } from '../artifacts/collect-files.ts'
import type { OutputFile } from '../artifacts/output-file.ts'
import { everyText, membersOf } from '../artifacts/scrub.fixture.ts'
import { scrubFiles } from '../artifacts/scrub-file.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { checkoutRuntime, installPatienceMs } from '../runtimes/installed-runtime.fixture.ts'
import type { InstalledRuntime } from '../runtimes/runtime.ts'
import { createScrubber, mask } from '../scrub/scrub.ts'

const secret = 'S3cr3t_hidden "x" é+7'
const credentials = ['tok-of-page', 'tok-of-request', 'sid-of-cookie', 'key-of-all', 'pw-of-all']
const executablePath = findBrowsers({}).headlessShell
const launchOptions = { executablePath, args: ['--no-sandbox'] }

const config = `module.exports = {
  testDir: '.', workers: 1,
  reporter: [['html', { open: 'never' }], ['json', { outputFile: 'report.json' }], ['junit', { outputFile: 'junit.xml' }]],
  use: { trace: 'on', screenshot: 'on', launchOptions: ${JSON.stringify(launchOptions)},
    extraHTTPHeaders: { 'x-api-key': 'key-of-all' }, httpCredentials: { username: 'ann', password: 'pw-of-all' } },
}`

const suite = `
const { test, expect } = require('@playwright/test')
const { createServer } = require('node:http')
const secret = process.env.SECRET
const page0 = '<title>' + secret + '</title><h1>' + secret + '</h1><input id=a><script>console.log(' + JSON.stringify(secret) + ')</script>'
let server, url
test.beforeAll(async () => {
  server = createServer((request, response) => {
    response.setHeader('set-cookie', 'sid=sid-of-cookie')
    response.setHeader('content-type', request.url === '/json' ? 'application/json' : 'text/html; charset=utf-8')
    response.end(request.url === '/json' ? JSON.stringify({ secret }) : page0)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = 'http://127.0.0.1:' + server.address().port
})
test.afterAll(() => server.close())
test('buys', async ({ page, request }, info) => {
  await page.goto(url + '/?q=' + encodeURIComponent(secret))
  await page.fill('#a', secret)
  await page.evaluate((given) => fetch('/json', { method: 'POST', headers: { authorization: 'Bearer ' + ['tok', 'of', 'page'].join('-') }, body: given }).then((r) => r.text()), secret)
  await request.get(url + '/json', { headers: { Authorization: 'Bearer ' + ['tok', 'of', 'request'].join('-'), 'x-more': secret } })
  await info.attach(secret + '.txt', { body: 'with ' + Buffer.from('ann:' + secret).toString('base64'), contentType: 'text/plain' })
  await page.screenshot({ path: info.outputPath('shot-' + Buffer.from(secret).toString('hex') + '.png') })
})
test('fails with ' + secret, async ({ page, request }) => {
  await page.goto(url)
  await page.locator('#a').fill(secret)
  await expect(page.locator('#a')).toHaveValue(secret.slice(6) + 'other', { timeout: 200 })
})
test('is refused', async ({ request }) => {
  await request.get('http://127.0.0.1:1/', { headers: { Authorization: 'Bearer ' + ['tok', 'of', 'request'].join('-') } })
})
test('records', async ({ browser }, info) => {
  for (const name of ['a.har', 'b.zip']) {
    const context = await browser.newContext({ recordHar: { path: info.outputPath(name) } })
    await (await context.newPage()).goto(url)
    await context.close()
  }
})`

/** Opens a trace in the viewer, and returns the actions that it shows. */
const look = `
const { createServer } = require('node:http')
const { readFileSync, existsSync } = require('node:fs')
const { join, dirname, extname } = require('node:path')
const { chromium } = require('playwright-core')
const viewer = join(dirname(require.resolve('playwright-core/package.json')), 'lib/vite/traceViewer')
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://x')
  const path = pathname === '/trace.zip' ? process.env.TRACE : join(viewer, pathname === '/' ? 'index.html' : pathname)
  if (!existsSync(path)) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(readFileSync(path))
})
server.listen(0, '127.0.0.1', async () => {
  const origin = 'http://127.0.0.1:' + server.address().port
  const browser = await chromium.launch(${JSON.stringify(launchOptions)})
  const page = await browser.newPage()
  await page.goto(origin + '/?trace=' + encodeURIComponent(origin + '/trace.zip'))
  await page.getByTestId('actions-tree').getByText('Fill').waitFor()
  const actions = await page.getByTestId('actions-tree').innerText()
  await page.getByTestId('actions-tree').getByText('Fill').click()
  const snapshot = page.frameLocator('iframe.snapshot-visible').locator('h1')
  const heading = await snapshot.innerText()
  console.log(JSON.stringify({ actions, heading }))
  await browser.close()
  server.close()
})`

const run = promisify(execFile)
let runtime: InstalledRuntime
let folder: string
let files: OutputFile[]
const contents = new Map<string, Buffer>()

beforeAll(async () => {
  runtime = await checkoutRuntime()
  folder = await mkdtemp(join(tmpdir(), 'vedette-recorded-'))
  await mkdir(join(folder, 'run'))
  await mkdir(join(folder, 'temp'))
  await symlink(join(runtime.folder, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'run/playwright.config.js'), config)
  await writeFile(join(folder, 'run/shop.spec.js'), suite)
  await writeFile(join(folder, 'look.js'), look)
  const cli = join(folder, 'node_modules/@playwright/test/cli.js')
  const env = { PATH: '/usr/bin:/bin', HOME: folder, SECRET: secret }
  const node = join(runtime.folder, runtime.node)
  // Two of its tests fail on purpose.
  await expect(run(node, [cli, 'test'], { cwd: join(folder, 'run'), env })).rejects.toMatchObject({ code: 1 })
  const collected = await collectFiles(join(folder, 'run'), { isWanted: (path) => !path.endsWith('.js') })
  expect(collected.left).toEqual([])
  const scrubbed = await scrubFiles(collected.files, createScrubber([secret]), {
    tempFolder: join(folder, 'temp'),
  })
  expect(scrubbed.notes).toEqual([])
  files = scrubbed.files
  for (const { name, path } of files) contents.set(name, await readFile(path))
}, installPatienceMs + 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** By its name without the folder: names of the report's own files are hashes, which may end in anything. */
function contentOf(file: string): Buffer {
  const name = [...contents.keys()].find((one) => one.endsWith(`/${file}`) || one === file)
  return contents.get(name ?? '') ?? Buffer.alloc(0)
}

describe('the output of the test runner', () => {
  it('is complete', () => {
    const types = new Set(files.map(({ type }) => type))
    expect([...types].sort()).toEqual(['file', 'report', 'screenshot', 'trace'])
    for (const file of [
      'a.har',
      'b.zip',
      'report.json',
      'junit.xml',
      'error-context.md',
      'playwright-report/index.html',
    ])
      expect(contentOf(file).length, file).toBeGreaterThan(0)
  })

  it('contains no secret in any name, text or member', async () => {
    const encoded = [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
      Buffer.from(`ann:${secret}`).toString('base64'),
      Buffer.from(secret).toString('hex'),
      'S3cr3t',
    ]
    for (const [name, bytes] of contents) {
      for (const text of [name, ...(await everyText(bytes))]) {
        for (const form of encoded) expect(text.includes(form), `${form} in ${name}`).toBe(false)
      }
    }
    expect([...contents.keys()].some((name) => name.includes(`shot-${mask}.png`))).toBe(true)
  })

  it('contains no credentials of requests', async () => {
    for (const [name, bytes] of contents) {
      for (const text of await everyText(bytes)) {
        // The source code of the suite isn't a request.
        for (const value of credentials)
          expect(text.includes(value) && !text.includes('createServer('), `${value} in ${name}`).toBe(false)
      }
    }
  })

  it('is still readable', async () => {
    expect(JSON.parse(String(contentOf('report.json'))).stats.unexpected).toBe(2)
    expect(JSON.parse(String(contentOf('a.har'))).log.entries).not.toHaveLength(0)
    const har = JSON.parse(String((await membersOf(contentOf('b.zip'))).get('har.har')))
    const kept = har.log.entries.map(({ response }: { response: { content: object } }) => response.content)
    // The browser may also request an icon.
    expect(kept).toContainEqual(
      expect.objectContaining({ _file: expect.stringMatching(/^[0-9a-f]{40}\.html$/) }),
    )
  })

  it('opens in the viewer, with actions and snapshots', { tags: ['story'], timeout: 90_000 }, async () => {
    const { path: trace = '' } = files.find(({ name }) => name.endsWith('buys/trace.zip')) ?? {}
    const env = { PATH: '/usr/bin:/bin', HOME: folder, TRACE: trace }
    const node = join(runtime.folder, runtime.node)
    const { stdout } = await run(node, [join(folder, 'look.js')], { cwd: folder, env, timeout: 60_000 })
    const { actions, heading } = JSON.parse(stdout)
    expect(actions).toContain('Navigate')
    expect(heading).toBe(mask)
  })
})

// Runs the browser inside the cell, with the runtime's own Playwright: receives statements of the agent as JSON lines, and sends
// a reply for each. It gets the values of variables, but never the model's key.
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserType, Page } from 'playwright-core'

interface Command {
  id: number
  op: 'open' | 'run' | 'evaluate' | 'view' | 'close'
  code?: string
  variables?: Record<string, string>
}

/** More than is kept: the agent scrubs before it truncates. */
const maxChars = 40_000

const AsyncFunction: new (...args: string[]) => (...given: unknown[]) => Promise<unknown> =
  Object.getPrototypeOf(async () => {}).constructor

const [runtime = '/runtime'] = process.argv.slice(2)
const { chromium, expect }: { chromium: BrowserType; expect: unknown } = createRequire(
  `${runtime}/package.json`,
)('@playwright/test')

let browser: Browser | null = null
let context: BrowserContext | null = null
let page: Page | null = null
let variables: Record<string, string> = {}

async function open(): Promise<string> {
  browser = await chromium.launch()
  context = await browser.newContext({ timezoneId: 'UTC' })
  await context.tracing.start({ screenshots: true, snapshots: true })
  page = await context.newPage()
  // The same as in scripts.
  page.setDefaultTimeout(10_000)
  page.setDefaultNavigationTimeout(30_000)
  return ''
}

/** Statements see the fixtures of a test; `process.env` contains only the variables. */
function run(code: string): Promise<unknown> {
  const test = { step: (_title: string, body: () => Promise<void>) => body() }
  const statement = new AsyncFunction('page', 'expect', 'test', 'process', code)
  return statement(page, expect, test, { env: variables })
}

async function view(): Promise<string> {
  if (!page) throw new Error('there is no page')
  await page.waitForLoadState('domcontentloaded', { timeout: 5_000 }).catch(() => undefined)
  const body = page.locator('body')
  const seen = await body.ariaSnapshot({ timeout: 5_000 }).catch(() => body.textContent().catch(() => null))
  const others = (context?.pages() ?? []).filter((other) => other !== page).map((other) => other.url())
  const lines = [`URL: ${page.url()}`, `Title: ${await page.title().catch(() => '')}`]
  if (others.length > 0) lines.push(`Other tabs (not shown): ${others.join(' ')}`)
  return `${lines.join('\n')}\n${seen ?? ''}`.slice(0, maxChars)
}

async function close(): Promise<string> {
  await page?.screenshot({ path: 'screenshots/last-page.png' }).catch(() => undefined)
  await context?.tracing.stop({ path: 'trace.zip' }).catch(() => undefined)
  await browser?.close()
  return ''
}

async function execute({ op, code = '', variables: given }: Command): Promise<string> {
  if (given) variables = given
  if (op === 'open') return open()
  if (op === 'view') return view()
  if (op === 'close') return close()
  if (op === 'evaluate') return String(await run(`return (${code})`)).slice(0, maxChars)
  await run(code)
  return ''
}

/** Without color sequences. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color sequences begin with it
  return text.replaceAll(/\u001b\[[\d;]*m/g, '').slice(0, maxChars)
}

function send(reply: object): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`)
}

async function handle(command: Command): Promise<void> {
  try {
    send({ id: command.id, ok: true, output: await execute(command) })
  } catch (error) {
    send({ id: command.id, ok: false, output: messageOf(error) })
  }
  if (command.op === 'close') process.exit(0)
}

// Not readline, which also splits at U+2028 and U+2029: JSON may contain them.
let rest = ''
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const lines = `${rest}${chunk}`.split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) await handle(JSON.parse(line))
}
await close()
process.exit(0)

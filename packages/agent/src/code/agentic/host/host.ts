// The browser's host: runs inside the cell with the runtime's own Playwright. In: lines of JSON with statements that the
// agent wrote; out: a line for each. It knows variables' values, never the model's key, and holds nothing that outlives it.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

interface Command {
  id: number
  op: 'open' | 'run' | 'evaluate' | 'view' | 'close'
  code?: string
  variables?: Record<string, string>
}

/** As much of Playwright as is used here: its types are the runtime's. */
interface Page {
  url(): string
  title(): Promise<string>
  locator(selector: string): {
    ariaSnapshot(options: object): Promise<string>
    textContent(): Promise<string | null>
  }
  setDefaultTimeout(ms: number): void
  setDefaultNavigationTimeout(ms: number): void
  waitForLoadState(state: string, options: object): Promise<void>
  screenshot(options: object): Promise<unknown>
}
interface Context {
  newPage(): Promise<Page>
  pages(): Page[]
  tracing: { start(options: object): Promise<void>; stop(options: object): Promise<void> }
}
interface Browser {
  newContext(options: object): Promise<Context>
  close(): Promise<void>
}
interface Playwright {
  chromium: { launch(): Promise<Browser> }
  expect: unknown
}

/** More than anyone is shown: the agent takes secrets out first, and cuts afterwards. */
const maxChars = 40_000

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...given: unknown[]) => Promise<unknown>

const [runtime = '/runtime'] = process.argv.slice(2)
const { chromium, expect } = createRequire(`${runtime}/package.json`)('@playwright/test') as Playwright

let browser: Browser | null = null
let context: Context | null = null
let page: Page | null = null
let variables: Record<string, string> = {}

async function open(): Promise<string> {
  browser = await chromium.launch()
  context = await browser.newContext({ timezoneId: 'UTC' })
  await context.tracing.start({ screenshots: true, snapshots: true })
  page = await context.newPage()
  // As the script has them.
  page.setDefaultTimeout(10_000)
  page.setDefaultNavigationTimeout(30_000)
  return ''
}

/** Statements see what a test has, and of the environment only the variables. */
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

async function obey({ op, code = '', variables: given }: Command): Promise<string> {
  if (given) variables = given
  if (op === 'open') return open()
  if (op === 'view') return view()
  if (op === 'close') return close()
  if (op === 'evaluate') return String(await run(`return (${code})`)).slice(0, maxChars)
  await run(code)
  return ''
}

/** Colours are for terminals. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are made of.
  return text.replaceAll(/\u001b\[[\d;]*m/g, '').slice(0, maxChars)
}

function answer(said: object): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command
  try {
    answer({ id: command.id, ok: true, output: await obey(command) })
  } catch (error) {
    answer({ id: command.id, ok: false, output: messageOf(error) })
  }
  if (command.op === 'close') process.exit(0)
}
await close()
process.exit(0)

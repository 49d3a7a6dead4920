// What a person waits for in the app, each measured once.
import type { Page } from 'playwright-core'
import { longestMs, slowDown, type WebStage } from './web-stage.ts'

export type Figure =
  | 'home, cold'
  | 'home, warm'
  | 'checks, cold'
  | 'checks, warm'
  | 'filter keystroke'
  | 'filter, last key'
  | 'check page'

export function figureNames(): Figure[] {
  return [
    ...(['home, cold', 'home, warm', 'checks, cold', 'checks, warm'] as const),
    ...(['filter keystroke', 'filter, last key', 'check page'] as const),
  ]
}

// What is there once a screen shows its data.
const homeSign = 'section[aria-labelledby=attention] :is(a, summary)'
export const rowSign = '.check-table .row[data-index="0"] a'
const chartSign = '.u-legend'

/** Each returns milliseconds. */
export const figures: Record<Figure, (stage: WebStage, rate: number) => Promise<number>> = {
  'home, cold': (stage, rate) => loadCold(stage, rate, '/', homeSign),
  'home, warm': (stage, rate) => loadWarm(stage, rate, '/', homeSign),
  'checks, cold': (stage, rate) => loadCold(stage, rate, '/checks', rowSign),
  'checks, warm': (stage, rate) => loadWarm(stage, rate, '/checks', rowSign),
  'filter keystroke': (stage, rate) => typeFilter(stage, rate, letters[typed++ % letters.length] ?? 'k'),
  'filter, last key': (stage, rate) => typeFilter(stage, rate, nameOfOne),
  'check page': openCheck,
}

/** A browser without the files of the app. */
async function loadCold({ browser, context, vedette }: WebStage, rate: number, path: string, sign: string) {
  const fresh = await browser.newContext({
    storageState: await context.storageState(),
    viewport: { width: 1440, height: 900 },
  })
  try {
    return await load(await fresh.newPage(), rate, vedette.url + path, sign)
  } finally {
    await fresh.close()
  }
}

async function loadWarm({ context, vedette }: WebStage, rate: number, path: string, sign: string) {
  const page = await context.newPage()
  try {
    return await load(page, rate, vedette.url + path, sign)
  } finally {
    await page.close()
  }
}

/** From the beginning of the navigation until the data is painted. */
async function load(page: Page, rate: number, url: string, sign: string): Promise<number> {
  await slowDown(page, rate)
  await page.addInitScript(
    `globalThis.painted = new Promise((resolve) => {
      const look = () => {
        if (document.querySelector(${JSON.stringify(sign)}) === null) return
        observer.disconnect()
        ${afterPaint('resolve(performance.now())')}
      }
      const observer = new MutationObserver(look)
      observer.observe(document, { childList: true, subtree: true })
    })`,
  )
  await page.goto(url, { waitUntil: 'commit' })
  return await awaitPaint(page)
}

async function awaitPaint(page: Page): Promise<number> {
  const late = setTimeout(() => page.close(), longestMs)
  const took = await page.evaluate<number>('globalThis.painted').catch(() => null)
  clearTimeout(late)
  if (took === null) throw new Error(`${page.url()} showed nothing within ${longestMs} ms`)
  return took
}

/**
 * The frame that shows the change has been rendered when the next task runs after its callbacks. That task is an urgent one:
 * what the app does after the frame isn't waited for.
 */
function afterPaint(then: string): string {
  return `requestAnimationFrame(() => scheduler.postTask(() => ${then}, { priority: 'user-blocking' }))`
}

/** Checkout and Invoice: others also match by host or tag. */
const letters = ['k', 'v']
let typed = 0

/** All match until the last key, by their tags; then only the check that the others were copied from. */
const nameOfOne = 'tem'

/** From the last key until the rows that match are painted: after the first key those of a full screen, if there are so many. */
async function typeFilter({ page, vedette }: WebStage, rate: number, text: string): Promise<number> {
  const field = page.getByRole('searchbox', { name: 'Filter by name' })
  if (!page.url().endsWith('/checks')) await page.goto(`${vedette.url}/checks`)
  await page.locator(rowSign).waitFor()
  const before = text.slice(0, -1)
  if (before !== '') {
    const response = page.waitForResponse((one) => new URL(one.url()).searchParams.get('query') === before)
    await field.fill(before)
    await (await response).finished()
    // Its rows are rendered, and the last key isn't sent together with those before it.
    await page.waitForTimeout(200)
  }
  await field.focus()
  await slowDown(page, rate)
  await page.evaluate(
    `void (globalThis.painted = new Promise((resolve) => {
      const field = document.activeElement
      field.addEventListener('keydown', () => {
        const startedAt = performance.now()
        const table = document.querySelector('.check-table')
        const before = table.getAttribute('aria-rowcount')
        const look = () => {
          const now = document.querySelector('.check-table')
          const isDone = now === null ? document.body.innerText.includes('No check matches') : now.getAttribute('aria-rowcount') !== before && !now.classList.contains('old')
          if (!isDone) return
          observer.disconnect()
          ${afterPaint('resolve(performance.now() - startedAt)')}
        }
        const observer = new MutationObserver(look)
        observer.observe(document.body, { childList: true, subtree: true, attributes: true })
      }, { once: true })
    }))`,
  )
  await page.keyboard.press(text.slice(-1))
  const took = await awaitPaint(page)
  await slowDown(page, 1)
  await page.goto(`${vedette.url}/checks`)
  await page.locator(rowSign).waitFor()
  return took
}

/** From the click on a row of the list until the chart is painted. */
async function openCheck({ page, vedette }: WebStage, rate: number): Promise<number> {
  if (!page.url().endsWith('/checks')) await page.goto(`${vedette.url}/checks`)
  const row = page.locator('.check-table .row[data-index="3"] a').first()
  await row.waitFor()
  await slowDown(page, rate)
  await page.evaluate(
    `void (globalThis.painted = new Promise((resolve) => {
      document.addEventListener('click', () => {
        const startedAt = performance.now()
        const look = () => {
          if (document.querySelector(${JSON.stringify(chartSign)}) === null) return
          observer.disconnect()
          ${afterPaint('resolve(performance.now() - startedAt)')}
        }
        const observer = new MutationObserver(look)
        observer.observe(document.body, { childList: true, subtree: true })
      }, { once: true, capture: true })
    }))`,
  )
  await row.click()
  const took = await awaitPaint(page)
  await slowDown(page, 1)
  await page.goto(`${vedette.url}/checks`)
  return took
}

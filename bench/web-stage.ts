// An installation with checks, and a browser in which its owner is signed in.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { startVedette, type Vedette } from './server-process.ts'
import { fillWebData } from './web-data.ts'

export const longestMs = 60_000
const owner = { email: 'ann@example.com', password: 'correct horse battery' }

export interface WebStage {
  vedette: Vedette
  checkCount: number
  browser: Browser
  /** With a session, and with the files of the app in its cache. */
  context: BrowserContext
  page: Page
}

export async function openWebStage(
  checkCount: number,
  onOpened: (close: () => Promise<void>) => void,
): Promise<WebStage> {
  const vedette = await startVedette()
  const browser = await openBrowser()
  onOpened(async () => {
    await browser.close()
    await vedette.stop()
  })
  await fillWebData(vedette, checkCount)
  await setUpOwner(vedette)
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(longestMs)
  const page = await context.newPage()
  await page.goto(`${vedette.url}/login`)
  await page.getByLabel('Email').fill(owner.email)
  await page.getByLabel('Password').fill(owner.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return { vedette, checkCount, browser, context, page }
}

async function setUpOwner({ url, setupToken }: Vedette): Promise<void> {
  const response = await fetch(`${url}/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: setupToken, name: 'Ann', ...owner }),
  })
  if (!response.ok) throw new Error(`The owner was not created: ${await response.text()}`)
}

function openBrowser(): Promise<Browser> {
  const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
  const executablePath = process.env.CHROMIUM_PATH ?? programs.find((path) => existsSync(path))
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: ['--no-sandbox'] })
}

/**
 * One session for each page: with several, a page stayed slow after a navigation although the last rate was 1, and a page that is
 * slowed down keeps a core busy even when it has nothing to do.
 */
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** The rate ends with its session, so that stays open. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  await (await session).send('Emulation.setCPUThrottlingRate', { rate })
}

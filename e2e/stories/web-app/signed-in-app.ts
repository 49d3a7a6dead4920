// An installation whose owner is signed in to the app, in a real browser.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser } from '../../browser.ts'
import { Scene } from '../../scene.ts'
import { until } from '../../until.ts'

export interface SignedInApp {
  scene: Scene
  context: BrowserContext
  page: Page
  open(path: string): Promise<unknown>
  close(): Promise<void>
}

const owner = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }

export async function openSignedInApp(environment: Record<string, string> = {}): Promise<SignedInApp> {
  const scene = new Scene()
  let browser: Browser | null = null
  try {
    await scene.open(environment)
    browser = await openBrowser()
    const context = await browser.newContext()
    const page = await context.newPage()
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl))
    await page.getByLabel('Name').fill(owner.name)
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const opened = browser
    return {
      scene,
      context,
      page,
      open: (path) => page.goto(scene.account.baseUrl + path),
      async close() {
        await opened.close()
        await scene.close()
      },
    }
  } catch (error) {
    await browser?.close()
    await scene.close()
    throw error
  }
}

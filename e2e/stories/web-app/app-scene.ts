// An installation whose owner uses the app in a browser, and a site to check.
import { createUrlMonitor } from '@vedette/contracts'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Account } from '../../account.ts'
import { openBrowser } from '../../browser.ts'
import { onDemandOnly, Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

export const owner = { email: 'ann@example.com', password: 'correct horse battery' }

export class AppScene {
  readonly scene = new Scene()
  #browser: Browser | null = null
  #site: Site | null = null

  get browser(): Browser {
    if (this.#browser === null) throw new Error('The scene is not open')
    return this.#browser
  }

  get site(): Site {
    if (this.#site === null) throw new Error('The scene is not open')
    return this.#site
  }

  get account(): Account {
    return this.scene.account
  }

  /** Where the app is. */
  get url(): string {
    return this.account.baseUrl
  }

  /** With the app built, and an owner with a password. */
  async open(
    environment: Record<string, string> = {},
    browserArguments: readonly string[] = [],
  ): Promise<void> {
    await this.scene.open(environment)
    this.#site = await Site.open()
    this.#browser = await openBrowser(browserArguments)
    const root = () => fetch(this.url, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const token = /\/setup#(\S+)/.exec(this.scene.running.output())?.[1] ?? ''
    const response = await fetch(`${this.url}/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, name: 'Ann', ...owner }),
    })
    if (!response.ok) throw new Error(`The owner was not created: ${await response.text()}`)
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await this.#site?.shut()
    await this.scene.close()
  }

  /** A browser of its own in which the owner is signed in. */
  async signIn(
    options: BrowserContextOptions = {},
    url = this.url,
  ): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${url}/login`)
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    return { context, page }
  }

  /** A check of a path of the site, which must respond with 200; runs only on demand. Returns its id. */
  async createCheck(name: string, path: string): Promise<string> {
    const { id } = await this.account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        ...{ name, ...onDemandOnly, doubleCheck: false, locations: ['eu-central-1'] },
        request: {
          url: this.site.url(path),
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
        },
      },
    })
    return id
  }
}

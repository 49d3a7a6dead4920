// A person who opens a trace: a real browser on the viewer that the server serves.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

export interface SeenTrace {
  /** Titles of the listed actions. */
  actions: string[]
  /** Hosts that were asked for anything: what the viewer's own service worker answers goes to none. */
  hosts: string[]
}

const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

export async function openTrace(viewerUrl: string, action: string): Promise<SeenTrace> {
  const executablePath = process.env.CHROMIUM_PATH ?? programs.find((path) => existsSync(path))
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox'],
  })
  try {
    const context = await browser.newContext()
    const hosts = new Set<string>()
    const note = (url: string) => {
      const { protocol, host } = new URL(url)
      if (protocol.startsWith('http')) hosts.add(host)
    }
    // Of the context: requests of the service worker are among them.
    context.on('response', (response) => {
      if (!response.fromServiceWorker()) note(response.url())
    })
    context.on('requestfailed', (request) => note(request.url()))
    const page = await context.newPage()
    await page.goto(viewerUrl)
    await page.getByText(action).first().waitFor({ timeout: 30_000 })
    const actions = await page
      .locator('.action-title, [data-testid=actions-tree] [role=treeitem]')
      .allInnerTexts()
    return { actions, hosts: [...hosts] }
  } finally {
    await browser.close()
  }
}

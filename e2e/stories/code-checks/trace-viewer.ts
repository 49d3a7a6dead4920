// Opens a trace in the server's viewer with a real browser.
import { openBrowser } from '../../browser.ts'

export interface SeenTrace {
  /** The titles of the listed actions. */
  actions: string[]
  /** Hosts that got a request. Responses of the viewer's service worker don't count. */
  hosts: string[]
}

export async function openTrace(viewerUrl: string, action: string): Promise<SeenTrace> {
  const browser = await openBrowser()
  try {
    const context = await browser.newContext()
    const hosts = new Set<string>()
    const note = (url: string) => {
      const { protocol, host } = new URL(url)
      if (protocol.startsWith('http')) hosts.add(host)
    }
    // On the context, which includes requests of the service worker.
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

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'

/** A trace that Playwright recorded: a page was opened, and a button of it was clicked. */
export async function recordTrace(browser: Browser, url: string, button: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-trace-'))
  const context = await browser.newContext()
  try {
    await context.tracing.start({ screenshots: true, snapshots: true })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('button', { name: button }).click()
    const file = join(folder, 'trace.zip')
    await context.tracing.stop({ path: file })
    return readFileSync(file)
  } finally {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

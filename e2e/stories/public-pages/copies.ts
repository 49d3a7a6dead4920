import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStatusPage, createStatusPageIncident, createStatusPageService } from '@vedette/contracts'
import { afterAll, expect, it } from 'vitest'
import { listen } from '../../target/listen.ts'
import { opensWith, type Stage } from './stage.ts'

export function copies(stage: Stage): void {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-copy-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('served by a plain file server looks the same', async () => {
    const { account, installation } = stage.scene
    const service = await account.call(createStatusPageService, { body: { name: 'Till' } })
    const services = [{ id: service.id }]
    const cards = [{ name: 'Shop', services }]
    await account.call(createStatusPage, { body: { name: 'Copied', url: 'copied', cards } })
    const incidentUpdates = [{ description: 'It broke.', status: 'RESOLVED' as const }]
    await account.call(createStatusPageIncident, {
      body: { name: 'A short one', severity: 'MINOR', services, incidentUpdates },
    })
    const page = await stage.browser.newPage({ locale: 'en', viewport: { width: 1000, height: 900 } })
    await opensWith(page, `${account.baseUrl}/s/copied`, 'A short one')
    const original = await page.locator('main').screenshot()

    await installation.operate('pages', 'export', folder)
    const files = await listen(() => createServer(serveFiles(folder)))
    const copy = `http://127.0.0.1:${files.port}/copied/`
    await page.goto(copy)
    expect(await page.locator('main').screenshot()).toEqual(original)
    expect(await page.locator('form').count()).toBe(0)
    await page.getByRole('link', { name: 'A short one' }).click()
    await page.getByRole('heading', { name: 'A short one' }).waitFor()
    await page.getByRole('link', { name: 'Back to Copied' }).click()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await files.close()
    await page.close()
  })
}

/** Nothing but files: a folder is its index.html. */
function serveFiles(folder: string): Parameters<typeof createServer>[1] & {} {
  return ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const path = join(folder, pathname)
    if (!existsSync(path)) return void response.writeHead(404).end()
    if (!statSync(path).isDirectory()) return void createReadStream(path).pipe(response)
    if (!pathname.endsWith('/')) return void response.writeHead(301, { location: `${pathname}/` }).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    createReadStream(join(path, 'index.html')).pipe(response)
  }
}

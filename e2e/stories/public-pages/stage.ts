import type { Browser, Page } from 'playwright-core'
import type { MailServer } from '../../receivers/mail-server.ts'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'

export interface Stage {
  scene: Scene
  readonly mail: MailServer
  readonly browser: Browser
}

/** Pages keep their content for seconds: opens one until it shows the text. */
export async function opensWith(page: Page, url: string, text: string): Promise<void> {
  await until(`${url} to show "${text}"`, async () => {
    await page.goto(url)
    return (await page.locator('body').innerText()).includes(text)
  })
}

/** The first link of a mail whose address has this part. */
export function linkIn(html: string, part: string): string {
  const link = [...html.matchAll(/href="([^"]+)"/g)]
    .map(([, href = '']) => href)
    .find((one) => one.includes(part))
  if (link === undefined) throw new Error(`no link with ${part} in:\n${html}`)
  return link.replaceAll('&amp;', '&')
}

import { createStatusPage } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function privatePages(stage: Stage): void {
  it('open with a key, which the browser keeps', async () => {
    const { account } = stage.scene
    const { keys } = await account.call(createStatusPage, {
      body: { name: 'Inside', url: 'inside', isPrivate: true, cards: [{ name: 'Vault', services: [] }] },
    })
    const url = `${account.baseUrl}/s/inside`
    const page = await stage.browser.newPage({ locale: 'en' })
    await page.goto(url)
    await page.getByLabel('Key').fill('a guess')
    await page.getByRole('button').click()
    expect(await page.getByRole('alert').innerText()).toContain('This isn’t a key')
    await page.getByLabel('Key').fill(keys[0]?.rawKey ?? '')
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Vault' }).waitFor()
    await page.goto(`${url}/history`)
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.close()
  })
}

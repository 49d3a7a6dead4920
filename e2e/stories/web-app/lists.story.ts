// The list of checks with two people at work: changes appear live, many checks are changed at once and back again, views are kept.
import {
  createAlertChannel,
  createBulkAction,
  createCheckGroupV2,
  createUrlMonitor,
  deleteCheck,
  getCheck,
  getCheckGroup,
  updateCheck,
} from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { AppScene } from './app-scene.ts'

const many = 2_000

describe('the list of checks', { timeout: 180_000 }, () => {
  const app = new AppScene()
  let ann: Page
  let ben: Page

  const make = (name: string, tags: string[]) =>
    app.account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        ...{ name, tags, ...onDemandOnly, activated: false, locations: ['eu-central-1'] },
        request: { url: app.site.url('/shop') },
      },
    })
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
  const list = async (page: Page, query: string) => {
    await page.goto(`${app.url}/checks?${query}`)
    await page.getByRole('table', { name: 'Checks' }).waitFor()
  }

  beforeAll(async () => {
    await app.open()
    for (const name of ['Cart', 'Checkout', 'Mail']) await make(name, name === 'Mail' ? [] : ['shop'])
    ann = (await app.signIn()).page
    ben = (await app.signIn()).page
  }, 180_000)
  afterAll(() => app.close())

  it('shows one browser what another one changes', async () => {
    await list(ben, '')
    await list(ann, '')
    await row(ann, 'Mail').getByRole('button', { name: 'Actions for Mail' }).click()
    await ann.getByRole('menuitem', { name: 'Mute for 1 h' }).click()
    await row(ben, 'Mail')
      .getByText(/Muted until/)
      .waitFor({ state: 'attached' })
    await row(ben, 'Mail').getByRole('button', { name: 'Actions for Mail' }).click()
    await ben.getByRole('menuitem', { name: /Unmute/ }).click()
    await row(ann, 'Mail')
      .getByText(/Muted until/)
      .waitFor({ state: 'detached' })
  })

  it('fills an empty list when a check matches', async () => {
    await ben.goto(`${app.url}/checks?tag=late`)
    await ben.getByText('No check matches').waitFor()
    const { id } = await make('Late', ['late'])
    await row(ben, 'Late').waitFor()
    await app.account.call(deleteCheck, { params: { id } })
  })

  it('mutes several checks, and undoes it', async () => {
    await list(ann, 'tag=shop')
    // The keyboard: the next row, and select it.
    await ann.keyboard.press('j')
    await ann.keyboard.press('x')
    await row(ann, 'Checkout')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    const bar = ann.getByRole('region', { name: 'Selected checks' })
    await bar.getByText('2 selected').waitFor()
    await bar.getByRole('button', { name: 'Mute for 1 h' }).click()
    await ann.getByText('2 checks will change').waitFor()
    await ann.getByRole('button', { name: 'Mute 2 checks' }).click()
    await ann.getByText('Muted 2 checks.').waitFor()
    for (const name of ['Cart', 'Checkout'])
      await row(ann, name)
        .getByText(/Muted until/)
        .waitFor({ state: 'attached' })
    await ann.getByRole('button', { name: 'Undo' }).click()
    await ann.getByText('Undone.').waitFor()
    await row(ann, 'Cart')
      .getByText(/Muted until/)
      .waitFor({ state: 'detached' })
  })

  it('keeps a view, and shares it', async () => {
    await list(ann, 'tag=shop&sort=name')
    await ann.getByRole('button', { name: 'Views' }).click()
    await ann.getByRole('menuitem', { name: 'Save this view…' }).click()
    const dialog = ann.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByLabel('Name').fill('The shop')
    await dialog.getByLabel('Share it with all members').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await ann.getByRole('button', { name: 'View: The shop' }).waitFor()
    await list(ben, '')
    await row(ben, 'Mail').waitFor()
    await ben.getByRole('button', { name: 'Views' }).click()
    await ben.getByRole('menuitem', { name: /The shop/ }).click()
    await row(ben, 'Mail').waitFor({ state: 'detached' })
    expect(ben.url()).toContain('tag=shop')
  })

  it('mutes a group for an hour, and undoes it', async () => {
    const { id } = await app.account.call(createCheckGroupV2, { body: { name: 'Noisy' } })
    const { id: checkId } = await make('Siren', [])
    await app.account.call(updateCheck, { params: { id: checkId }, body: { groupId: id } })
    await list(ben, 'query=Siren')
    await ann.goto(`${app.url}/groups/${id}`)
    await ann.getByRole('button', { name: 'Mute for 1 h' }).click()
    await ann.getByText('The checks of “Noisy” are muted.').waitFor()
    await ann.getByRole('button', { name: 'Unmute' }).waitFor()
    await row(ben, 'Siren')
      .getByText(/Muted until/)
      .waitFor({ state: 'attached' })
    await ann.getByRole('button', { name: 'Undo' }).click()
    await ann.getByText('Undone.').waitFor()
    await ann.getByRole('button', { name: 'Mute for 1 h' }).waitFor()
    await row(ben, 'Siren')
      .getByText(/Muted until/)
      .waitFor({ state: 'detached' })
    expect((await app.account.call(getCheckGroup, { params: { id } })).mutedUntil).toBeNull()
    await app.account.call(deleteCheck, { params: { id: checkId } })
  })

  it('offers every group and channel, with thousands of them', async () => {
    const { id } = await make('Wandering', [])
    const batch = (size: number, create: (index: number) => Promise<unknown>) =>
      Promise.all(Array.from({ length: size }, (_, index) => create(index)))
    for (let start = 0; start < many; start += 100)
      await batch(100, (index) =>
        app.account.call(createCheckGroupV2, { body: { name: `Team ${start + index}` } }),
      )
    await batch(150, (index) =>
      app.account.call(createAlertChannel, {
        body: { type: 'EMAIL', config: { address: `person-${index}@example.com` } },
      }),
    )
    await list(ann, 'query=Wandering')
    await row(ann, 'Wandering').getByRole('checkbox').click()
    const bar = ann.getByRole('region', { name: 'Selected checks' })
    await bar.getByRole('button', { name: 'Actions for the selected checks' }).click()
    await ann.getByRole('menuitem', { name: 'Move to a group…' }).click()
    const dialog = ann.getByRole('dialog', { name: 'Move 1 check' })
    await dialog.getByLabel('Group').selectOption({ label: 'Team 1987' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await ann.getByRole('button', { name: 'Move 1 check' }).click()
    await row(ann, 'Team 1987').waitFor()

    await ann.goto(`${app.url}/checks/${id}/edit`)
    await ann.getByRole('heading', { name: 'Basics' }).click()
    await ann.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'Team 42' })
    await ann.getByRole('heading', { name: 'Alerting' }).click()
    await ann.getByRole('searchbox', { name: 'Search: Notify' }).fill('person-149@')
    await ann.getByRole('checkbox', { name: 'person-149@example.com (Email)' }).check()
    await ann.getByRole('button', { name: 'Save' }).click()
    await ann.waitForURL(`${app.url}/checks/${id}`)
    const saved = await app.account.call(getCheck, { params: { id } })
    const group = await app.account.call(getCheckGroup, { params: { id: saved.groupId ?? 0 } })
    expect(group.name).toBe('Team 42')
    expect(saved.alertChannelSubscriptions).toMatchObject([{ activated: true }])
  })

  it('selects all checks that match, and asks for their number before it deletes them', async () => {
    for (let start = 0; start < many; start += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => make(`Old ${start + index}`, ['retired'])))
    await list(ann, 'tag=retired')
    await ann.getByRole('checkbox', { name: 'Select the loaded checks' }).click()
    const bar = ann.getByRole('region', { name: 'Selected checks' })
    await bar.getByRole('button', { name: 'Select all 2,000 matching' }).click()
    await bar.getByText('2,000 selected').waitFor()
    await bar.getByRole('button', { name: 'Actions for the selected checks' }).click()
    await ann.getByRole('menuitem', { name: 'Delete…' }).click()
    const button = ann.getByRole('button', { name: 'Delete 2,000 checks' })
    await button.waitFor()
    expect(await button.isDisabled()).toBe(true)
    await ann.getByLabel('Type 2,000 to confirm').fill('200')
    expect(await button.isDisabled()).toBe(true)
    await ann.getByLabel('Type 2,000 to confirm').fill('2000')
    await button.click()
    await ann.getByText('Deleted 2,000 checks.').waitFor({ timeout: 60_000 })
    await ann.getByText('No check matches').waitFor()
    const left = await app.account.call(createBulkAction, {
      body: { action: 'run', selection: { filter: {} }, dryRun: true },
    })
    expect(left.total).toBe(4)
  })
})

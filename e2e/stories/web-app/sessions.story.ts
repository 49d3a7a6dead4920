// Someone runs checks now and follows them: the list, a session while it runs, the result of the run that failed.
import {
  cancelCheckSession,
  createUrlMonitor,
  triggerCheckSessionsV2,
  triggerTestSession,
} from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { AppScene } from './app-scene.ts'

describe('sessions in the app', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let page: Page
  const open = (path: string) => page.goto(app.url + path)
  const checkIds: string[] = []

  beforeAll(async () => {
    await app.open()
    page = (await app.signIn()).page
    for (const name of ['Shop', 'Cart']) {
      const { id } = await app.scene.account.call(createUrlMonitor, {
        query: { autoAssignAlerts: false },
        body: {
          ...{ name, ...onDemandOnly, doubleCheck: false, locations: ['eu-central-1'] },
          ...{ maxResponseTime: 30_000, degradedResponseTime: 30_000 },
          request: {
            url: app.site.url(`/${name}`),
            assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
          },
        },
      })
      checkIds.push(id)
    }
  }, 180_000)
  afterAll(() => app.close())

  const trigger = async (checkId: string) => {
    const { sessions } = await app.scene.account.call(triggerCheckSessionsV2, {
      body: { target: { checkId: [checkId] } },
    })
    return sessions[0]?.checkSessionId as string
  }

  it('says what they are for before there is one', async () => {
    await open('/sessions')
    await page.getByText('No sessions yet').waitFor()
  })

  it('follows a check session live, from the list to the failing result', async () => {
    const release = app.site.hold('/Shop', { status: 503 })
    const id = await trigger(checkIds[0] as string)
    await open('/sessions')
    const row = page.getByRole('row').filter({ hasText: 'Shop' })
    await row.getByText('Running').waitFor()
    await row.getByRole('link', { name: 'Shop' }).click()
    await page.getByText('Waiting or running').waitFor()
    expect(page.url()).toContain(`/sessions/${id}`)
    release()
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.getByText(/expected status 200, got 503/).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => /\/sessions\//.test(url.pathname) && !url.pathname.endsWith(id))
  })

  it('cancels one that runs', async () => {
    const release = app.site.hold('/Shop')
    const id = await trigger(checkIds[0] as string)
    await open(`/check-sessions/${id}`)
    await page.getByRole('button', { name: 'Cancel the session' }).click()
    await page.getByText('Canceled', { exact: true }).first().waitFor()
    release()
    // Nothing more to cancel.
    await app.scene.account.call(cancelCheckSession, { params: { checkSessionId: id }, body: {} })
  })

  it('shows a test session of two checks, and opens the link of another client at its failing result', async () => {
    const { scene } = app
    const release = app.site.hold('/Cart', { status: 500 })
    app.site.on('/Shop', {})
    const { testSessionId } = await scene.account.call(triggerTestSession, {
      body: {
        ...{ name: 'Before the release', runLocation: 'eu-central-1', target: { checkId: checkIds } },
        metadata: { branchName: 'main', commitId: '9b1f5a3e6d0c', commitMessage: 'Fix the cart' },
      },
    })
    await open(`/accounts/${scene.account.id}/test-sessions/${testSessionId}`)
    await page.getByRole('heading', { name: 'Before the release' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Shop' }).getByText('Passed').waitFor()
    release()
    const failed = page.getByRole('row').filter({ hasText: 'Cart' })
    await failed.getByText('Failed').waitFor()
    await failed.getByRole('link', { name: 'Cart' }).click()
    await page.getByText(/expected status 200, got 500/).waitFor()
    const resultPath = new URL(page.url()).pathname
    await open(`/accounts/${scene.account.id}${resultPath}`)
    await page.getByText(/expected status 200, got 500/).waitFor()
  })

  it('filters by branch and state in the address', async () => {
    await open('/sessions?branch=main')
    await page.getByRole('row').filter({ hasText: 'Before the release' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByRole('button', { name: 'Passed' }).click()
    await page.getByText('No session matches').waitFor()
    expect(page.url()).toContain('state=passed')
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByRole('row').filter({ hasText: 'Shop' }).first().waitFor()
  })
})

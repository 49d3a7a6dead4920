import {
  type CallInput,
  createCheckGroup,
  createDashboard,
  createUrlMonitor,
  updateDashboard,
} from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import type { Stage } from './stage.ts'

type Settings = NonNullable<CallInput<typeof createDashboard>['body']>

const plain = {
  ...{ header: 'Acme', customUrl: 'wall', tags: ['web', 'api'], description: null, link: '' },
  width: 'FULL',
  ...{
    showHeader: true,
    useTagsAndOperator: false,
    hideTags: false,
    enableIncidents: false,
    expandChecks: false,
  },
  ...{ showGroupNames: true, showP95: true, showP99: true, showCheckRunLinks: false, checksPerPage: 15 },
  ...{ paginate: true, customCSS: '' },
} satisfies Settings

/** What the page shows once a field has a value: an expression that becomes true in the browser. */
const effects: [field: string, values: Partial<Settings>, expression: string][] = [
  ['header', { header: 'The wall' }, `document.querySelector('h1').innerText === 'The wall'`],
  ['description', { description: 'All of it' }, `document.body.innerText.includes('All of it')`],
  [
    'link',
    { link: 'https://example.com/' },
    `document.querySelector('h1 a').href === 'https://example.com/'`,
  ],
  ['width', { width: '960PX' }, `document.querySelector('main').offsetWidth === 960`],
  ['showHeader', { showHeader: false }, `document.querySelector('header') === null`],
  ['tags', { tags: ['api'] }, `!document.body.innerText.includes('Storefront')`],
  [
    'useTagsAndOperator',
    { tags: ['web', 'eu'], useTagsAndOperator: true },
    `document.querySelectorAll('tbody tr').length === 1`,
  ],
  ['hideTags', { hideTags: true }, `document.querySelector('.tags') === null`],
  ['enableIncidents', { enableIncidents: true }, `document.body.innerText.includes('Incidents')`],
  ['expandChecks', { expandChecks: true }, `document.querySelectorAll('tr.expanded').length === 3`],
  ['showGroupNames', { showGroupNames: false }, `!document.body.innerText.includes('Europe')`],
  ['showP95', { showP95: false }, `!document.querySelector('thead').innerText.includes('P95')`],
  ['showP99', { showP99: false }, `!document.querySelector('thead').innerText.includes('P99')`],
  [
    'showCheckRunLinks',
    { showCheckRunLinks: true },
    `[...document.querySelectorAll('a')].some(({ innerText }) => innerText === 'Last run')`,
  ],
  ['checksPerPage', { checksPerPage: 1 }, `document.body.innerText.includes('Page 1 of 3')`],
  ['paginate', { checksPerPage: 1, paginate: false }, `document.querySelectorAll('tbody tr').length === 3`],
  [
    'customCSS',
    { customCSS: '.title { color: rgb(1, 2, 3) }' },
    `getComputedStyle(document.querySelector('.title')).color === 'rgb(1, 2, 3)'`,
  ],
]

export function dashboards(stage: Stage): void {
  let site: Site
  let page: Page
  let dashboardId: string
  let url: string

  beforeAll(async () => {
    const { account } = stage.scene
    site = await Site.open()
    const group = await account.call(createCheckGroup, {
      body: { name: 'Europe', tags: ['eu'], locations: ['eu-central-1'] },
    })
    const create = async (name: string, tags: string[], groupId?: number) => {
      const { id } = await account.call(createUrlMonitor, {
        body: {
          ...{ name, tags, locations: ['eu-central-1'], ...onDemandOnly },
          ...(groupId === undefined ? {} : { groupId }),
          request: { url: site.url('/home') },
        },
      })
      await account.session(id)
    }
    await create('Storefront', ['web'], group.id)
    await create('Orders', ['api'])
    await create('Search', ['api', 'web'])
    const made = await account.call(createDashboard, { body: { header: 'Acme', customUrl: 'wall' } })
    dashboardId = made.dashboardId
    url = `${account.baseUrl}/d/wall`
    page = await stage.browser.newPage({ locale: 'en', viewport: { width: 1440, height: 900 } })
  }, 120_000)
  afterAll(async () => {
    await page.close()
    await site.shut()
  })

  it.each(effects)('%s changes the page', async (_field, values, expression) => {
    const { account } = stage.scene
    const show = async (body: Settings, expected: boolean) => {
      await account.call(updateDashboard, { params: { dashboardId }, body })
      await until('the page', async () => {
        await page.goto(url)
        return (
          (await page.evaluate(`(() => { try { return ${expression} } catch { return false } })()`)) ===
          expected
        )
      })
    }
    await show(plain, false)
    await show({ ...plain, ...values }, true)
  })

  it('turn their pages by themselves, and refresh without scripts', async () => {
    const { account } = stage.scene
    const body = { ...plain, checksPerPage: 1, paginationRate: 30 } satisfies Settings
    await account.call(updateDashboard, { params: { dashboardId }, body })
    const response = await until('the new content', async () => {
      const text = await (await fetch(url)).text()
      return text.includes('Page 1 of 3') && text
    })
    expect(response).toContain('<meta http-equiv="refresh" content="30; url=/d/wall?range=24h&amp;page=2">')
  })

  it('show a check with its latest runs', async () => {
    await page.goto(`${url}?range=1h&page=1`)
    await page.locator('tbody th a').first().click()
    await page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    expect(await page.locator('.runs li').count()).toBe(1)
  })
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate, readMigrations } from '../../storage/core/migrate.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { createTestDatabase } from '../../testing/database.ts'

const settings = { STATUS_DOMAIN: 'status.example.net', DASHBOARDS_DOMAIN: 'boards.example.net' }

let api: TestApi
beforeAll(async () => {
  api = await startTestApi(settings)
})
afterAll(() => api.close())

let count = 0
const page = (fields: object) => ({ name: 'Shop', url: `shop-${count++}`, cards: [], ...fields })
const postPage = (fields: object, caller: Caller = api.alice) => caller.post('/v1/status-pages', page(fields))
const postBoard = (fields: object, caller: Caller = api.alice) =>
  caller.post('/v1/dashboards', { header: 'Shop', ...fields })

describe('a custom domain', () => {
  it.each([
    ['Status.Acme.COM', 'status.acme.com'],
    ['dots.acme.com.', 'dots.acme.com'],
    ['stand.bücher.example', 'stand.xn--bcher-kva.example'],
  ])('%s is stored as %s', async (sent, stored) => {
    const { status, body } = await postPage({ customDomain: sent })
    expect(status).toBe(201)
    expect(body.customDomain).toBe(stored)
  })

  it.each([
    ['10.1.2.3', 'not an IP address'],
    ['status.0x7f', 'not an IP address'],
    ['localhost', 'must be a host name'],
    ['status.localhost', 'not localhost'],
    ['intranet', 'must be a host name'],
    ['bücher@acme.com', 'must be a host name'],
    ['bücher.example/path', 'must be a host name'],
    ['vedette.test', 'vedette.test and everything below it belong to this server'],
    ['pages.VEDETTE.test', 'vedette.test and everything below it belong to this server'],
    ['status.example.net', 'status.example.net and everything below it'],
    ['shop.boards.example.net', 'boards.example.net and everything below it'],
  ])('400: %s', async (customDomain, reason) => {
    for (const { status, body } of [await postPage({ customDomain }), await postBoard({ customDomain })]) {
      expect(status).toBe(400)
      expect(body.attributes).toEqual({ customDomain: expect.stringContaining(reason) })
    }
  })

  it('409: belongs to one page, dashboard or status page, of all accounts', async () => {
    const taken = { status: 409, body: { attributes: { customDomain: 'is taken already' } } }
    const { body: board } = await postBoard({ customDomain: 'one.acme.com' })
    expect(await postPage({ customDomain: 'one.acme.com' })).toMatchObject(taken)
    expect(await postPage({ customDomain: 'One.Acme.com' }, api.bob)).toMatchObject(taken)
    const { body: other } = await postPage({ customDomain: 'two.acme.com' }, api.bob)
    const moved = await api.bob.put(`/v1/status-pages/${other.id}`, page({ customDomain: 'one.acme.com' }))
    expect(moved).toMatchObject(taken)
    expect((await api.alice.put(`/v1/dashboards/${board.dashboardId}`, { header: 'Same' })).status).toBe(200)
  })

  it('is free again when its page gives it up or is deleted', async () => {
    const { body: board } = await postBoard({ customDomain: 'free.acme.com' })
    await api.alice.put(`/v1/dashboards/${board.dashboardId}`, { customDomain: null })
    const { status, body } = await postPage({ customDomain: 'free.acme.com' }, api.bob)
    expect(status).toBe(201)
    await api.bob.delete(`/v1/status-pages/${body.id}`)
    expect((await postBoard({ customDomain: 'free.acme.com' })).status).toBe(201)
  })

  it('goes to one of two pages that claim it at the same time', async () => {
    const answers = await Promise.all([
      postPage({ customDomain: 'race.acme.com' }),
      postBoard({ customDomain: 'race.acme.com' }, api.bob),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })
})

describe('a reserved name', () => {
  it.each(['www', 'API', 'app', 'admin', 'mail', 'status'])('400: %s', async (name) => {
    for (const [field, { status, body }] of [
      ['url', await postPage({ url: name })],
      ['customUrl', await postBoard({ customUrl: name })],
    ] as const) {
      expect(status).toBe(400)
      expect(body.attributes).toEqual({ [field]: expect.stringContaining('reserved name') })
    }
  })

  it('stays with the page of an earlier release that has it', async () => {
    const { body } = await postPage({})
    await api.store.db.updateTable('status_pages').set({ url: 'Status' }).where('id', '=', body.id).execute()
    const kept = await api.alice.put(`/v1/status-pages/${body.id}`, page({ url: 'Status', name: 'Renamed' }))
    expect(kept.status).toBe(200)
    expect((await api.alice.put(`/v1/status-pages/${body.id}`, page({ url: 'www' }))).status).toBe(400)
  })
})

it('data of earlier releases: of two pages with one domain, the older keeps it', async () => {
  const database = await createTestDatabase({ empty: true })
  try {
    const { pool } = database.store
    const all = readMigrations()
    await migrate(
      pool,
      all.filter(({ number }) => number < 26),
    )
    const id = '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11'
    await pool.query(`
      insert into accounts (id, name, runtime_id, plan, settings, alert_settings)
        values ('${id}', 'A', '2026.04', 'self-hosted', '{}', '{}');
      insert into status_pages (id, account_id, name, url, custom_domain, is_private, settings, created_at) values
        ('${id}', '${id}', 'P', 'p', 'Same.acme.com', false, '{}', '2026-01-01');
      insert into dashboards (account_id, dashboard_id, custom_domain, is_private, tags, settings, created_at) values
        ('${id}', 'b1', 'same.ACME.com', false, '{}', '{}', '2026-01-02'),
        ('${id}', 'b2', 'other.acme.com', false, '{}', '{}', '2026-01-02');`)
    await migrate(pool, all)
    const { rows } = await pool.query(
      'select domain, status_page_id is not null as "isStatusPage" from page_domains order by domain',
    )
    expect(rows).toEqual([
      { domain: 'other.acme.com', isStatusPage: false },
      { domain: 'same.acme.com', isStatusPage: true },
    ])
  } finally {
    await database.drop()
  }
})

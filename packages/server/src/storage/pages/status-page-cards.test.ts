// Cards of release 0.1.0 become components, and servers of that release still work on them during an upgrade.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { migrate, readMigrations } from '../core/migrate.ts'
import { cardsOf } from './status-page-cards.ts'
import { listStatusPageComponents } from './status-page-components.ts'

let database: TestDatabase
const [account, page, otherPage] = [randomUUID(), randomUUID(), randomUUID()]
const [first, second, empty, elsewhere] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const [api, web, mail] = [randomUUID(), randomUUID(), randomUUID()]

beforeAll(async () => {
  database = await createTestDatabase({ empty: true })
  const { pool } = database.store
  await migrate(
    pool,
    readMigrations().filter(({ number }) => number < 28),
  )
  await pool.query(`insert into accounts (id, name, runtime_id, plan, settings, alert_settings)
    select '${account}', 'Acme', '2026.04', 'self-hosted', '{}', '{}'`)
  await pool.query(`
    insert into status_page_services (id, account_id, name) values
      ('${api}', '${account}', 'API'), ('${web}', '${account}', 'Web'), ('${mail}', '${account}', 'Mail');
    insert into status_pages (id, account_id, name, url, is_private, settings) values
      ('${page}', '${account}', 'Shop', 'shop', false, '{}'), ('${otherPage}', '${account}', 'Other', 'other', false, '{}');
    insert into status_page_cards (id, account_id, status_page_id, name, position, created_at, updated_at) values
      ('${second}', '${account}', '${page}', 'Second', 1, '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'),
      ('${first}', '${account}', '${page}', 'First', 0, '2026-01-01T00:00:00Z', null),
      ('${empty}', '${account}', '${page}', 'Empty', 2, '2026-01-01T00:00:00Z', null),
      ('${elsewhere}', '${account}', '${otherPage}', 'Elsewhere', 0, '2026-01-01T00:00:00Z', null);
    insert into status_page_card_services (account_id, card_id, service_id, position) values
      ('${account}', '${first}', '${api}', 1), ('${account}', '${first}', '${web}', 0),
      ('${account}', '${second}', '${api}', 0), ('${account}', '${elsewhere}', '${mail}', 0)`)
  await migrate(pool)
})
afterAll(() => database.drop())

const read = async () =>
  cardsOf(await listStatusPageComponents(database.store.db, account, [page])).map(
    ({ component, services }) => ({
      id: component.id,
      name: component.name,
      created_at: component.created_at,
      updated_at: component.updated_at,
      services: services.map(({ name }) => name),
    }),
  )

describe('cards of release 0.1.0', () => {
  it('keep their ids, names, times and order, and so do their services', async () => {
    const [created, changed] = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
    expect(await read()).toEqual([
      { id: first, name: 'First', created_at: created, updated_at: null, services: ['Web', 'API'] },
      {
        ...{ id: second, name: 'Second', created_at: '2026-01-02T00:00:00.000Z', updated_at: changed },
        services: ['API'],
      },
      { id: empty, name: 'Empty', created_at: created, updated_at: null, services: [] },
    ])
  })

  it('are replaced by a server of that release with its own statements', async () => {
    const { pool } = database.store
    const added = randomUUID()
    await pool.query(`delete from status_page_card_services where account_id = $1 and card_id in ($2, $3)`, [
      account,
      second,
      first,
    ])
    await pool.query(
      `delete from status_page_cards where account_id = $1 and status_page_id = $2 and id not in ($3, $4)`,
      [account, page, second, first],
    )
    await pool.query(
      `insert into status_page_cards (id, account_id, status_page_id, name, position)
       values ($3, $1, $2, 'Second', 0), ($4, $1, $2, 'Renamed', 1), ($5, $1, $2, 'Added', 2)
       on conflict (id) do update set name = excluded.name, position = excluded.position, updated_at = now()`,
      [account, page, second, first, added],
    )
    await pool.query(
      `insert into status_page_card_services (account_id, card_id, service_id, position)
       values ($1, $2, $4, 0), ($1, $3, $4, 1), ($1, $3, $5, 0)`,
      [account, second, added, api, mail],
    )
    expect((await read()).map(({ id, name, services }) => ({ id, name, services }))).toEqual([
      { id: second, name: 'Second', services: ['API'] },
      { id: first, name: 'Renamed', services: [] },
      { id: added, name: 'Added', services: ['Mail', 'API'] },
    ])
    const { rows } = await pool.query(
      `select service.name from status_page_card_services as link
       inner join status_page_cards as card on card.id = link.card_id
       inner join status_page_services as service on service.id = link.service_id
       where card.account_id = $1 and card.status_page_id in ($2) order by link.position, service.name`,
      [account, page],
    )
    expect(rows.map(({ name }) => name)).toEqual(['API', 'Mail', 'API'])
  })
})

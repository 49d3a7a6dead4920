import type pg from 'pg'
import { expect, it } from 'vitest'
import { columnKinds, constant, currentTime, insertMany } from './insert-many.ts'
import type { Client } from './transaction.ts'

interface Row {
  accountId: string
  checkId: string
  message: string | null
  isDegraded: boolean
  hasFailures: boolean
  decidedAt: number
}

const column = columnKinds<Row>()
const insertStatuses = insertMany(
  'insert_statuses',
  'check_statuses',
  {
    account_id: column.uuid((row) => row.accountId),
    check_id: column.uuid((row) => row.checkId),
    ...column.flags({
      has_failures: (row) => row.hasFailures,
      is_degraded: (row) => row.isDegraded,
    }),
    has_errors: constant('false'),
    failure_message: column.text((row) => row.message),
    decided_at: column.instant((row) => row.decidedAt),
    created_at: currentTime,
  },
  { as: 's', source: 'order by r.check_id', onConflict: 'do nothing', returning: 's.check_id' },
)

function recordingClient(queries: pg.QueryConfig[]): Client {
  return {
    async query(query) {
      if (typeof query !== 'string') queries.push(query)
      return { rows: [] }
    },
  }
}

it('sends one array per parameter, and one parameter for all flags', async () => {
  const queries: pg.QueryConfig[] = []
  const first = { accountId: 'a1', checkId: 'c1', message: 'a "quoted", \\ text', isDegraded: true }
  const second = { accountId: 'a1', checkId: 'c2', message: null, isDegraded: false }
  await insertStatuses(
    recordingClient(queries),
    [
      { ...first, hasFailures: true, decidedAt: 1000 },
      { ...second, hasFailures: false, decidedAt: 2500 },
    ],
    42,
  )
  expect(queries).toEqual([
    {
      name: 'insert_statuses',
      text: `insert into check_statuses as s (account_id, check_id, has_failures, is_degraded, has_errors, failure_message, decided_at, created_at)
select r.account_id, r.check_id, (r.has_failures & 1) > 0, (r.has_failures & 2) > 0, false, r.failure_message, to_timestamp(r.decided_at / 1000.0), to_timestamp($6::float8 / 1000.0)
from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::float8[]) with ordinality as r (account_id, check_id, has_failures, failure_message, decided_at, ordinal)
order by r.check_id
on conflict do nothing
returning s.check_id`,
      values: ['{a1,a1}', '{c1,c2}', '{3,0}', '{"a \\"quoted\\", \\\\ text",NULL}', '{1000,2500}', 42],
    },
  ])
})

it('sends nothing for an empty batch', async () => {
  const queries: pg.QueryConfig[] = []
  expect(await insertStatuses(recordingClient(queries), [], 42)).toEqual([])
  expect(queries).toEqual([])
})

it('is checked against the table by the compiler', () => {
  const id = column.uuid((row) => row.accountId)
  // @ts-expect-error: check_id is missing
  insertMany('x', 'rollup_pending', { account_id: id, hour: column.instant((row) => row.decidedAt) })
  insertMany('x', 'rollup_pending', {
    account_id: id,
    check_id: id,
    // @ts-expect-error: hour is not null
    hour: column.instant((row) => (row.isDegraded ? 1 : null)),
  })
})

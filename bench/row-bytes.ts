// Bytes on disk of rows, with indexes and TOAST: real rows, copied until pages are full.
import type pg from 'pg'

const copies = 20_000

export async function columnsOf(store: pg.Client, table: string): Promise<string[]> {
  const { rows } = await store.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = '' order by attnum`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/** Of the rows that fulfill the condition. `timeColumn` and the ids make the copies of a row different. */
export async function bytesPerRow(
  store: pg.Client,
  table: string,
  condition: string,
  values: unknown[],
  timeColumn = 'scheduled_at',
): Promise<number> {
  const columns = await columnsOf(store, table)
  const own: Record<string, string> = {
    [timeColumn]: `t.${timeColumn} + n * interval '100 days'`,
    run_id: 'gen_random_uuid()',
    id: 'gen_random_uuid()',
  }
  await store.query(`create temp table copied (like ${table} including all)`)
  try {
    await store.query(
      `insert into copied (${columns.join(', ')})
       select ${columns.map((name) => own[name] ?? `t.${name}`).join(', ')}
       from (select * from ${table} where ${condition} limit 200) t, generate_series(1, ${copies} / 200) n
       order by n, t.${timeColumn}`,
      values,
    )
    const { rows } = await store.query<{ bytes: string; total: string }>(
      `select pg_total_relation_size('copied') as bytes, (select count(*) from copied) as total`,
    )
    const { bytes = 0, total = 0 } = rows[0] ?? {}
    if (Number(total) === 0) throw new Error(`${table} has no rows to measure`)
    return Number(bytes) / Number(total)
  } finally {
    await store.query('drop table copied')
  }
}

/** The table that has the details of these checks; null: they have none. */
export async function detailTableOf(store: pg.Client, checkIds: string[]): Promise<string | null> {
  const { rows } = await store.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'p' and a.attname = 'detail' and not a.attisdropped`,
  )
  for (const { name } of rows) {
    const found = await store.query(`select from ${name} where check_id = any($1) limit 1`, [checkIds])
    if (found.rowCount === 1) return name
  }
  return null
}

/** Files: traces, screenshots, videos. */
export async function artifactBytesPerRun(store: pg.Client, checkIds: string[]): Promise<number> {
  const { rows } = await store.query<{ bytes: number }>(
    `select (coalesce(sum(size_bytes), 0) / (select count(*) from results where check_id = any($1)))::float8 as bytes
     from artifacts where check_id = any($1)`,
    [checkIds],
  )
  return rows[0]?.bytes ?? 0
}

export async function walBytes(store: pg.Client): Promise<number> {
  const { rows } = await store.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`,
  )
  return Number(rows[0]?.bytes ?? 0)
}

// Inserts batches with one statement per table. Each column of a batch is one array parameter, whatever the number of
// rows, so the statement is prepared once per connection.
import type { Insertable } from 'kysely'
import type pg from 'pg'
import { arrayText, quotedArrayText } from './array-text.ts'
import type { Tables } from './tables.generated.ts'
import type { Client } from './transaction.ts'

type Scalar = string | number | boolean | null

/** An array with one element per row. `type`: of the elements. `isQuoted`: elements may need quotes. */
interface Parameter<Row> {
  type: string
  isQuoted: boolean
  read(row: Row): Scalar
}

/** `Value` is only for the compiler: what the table's column accepts. */
export interface Column<Row, Value> {
  /** Columns may share one; null: all rows get the same value. */
  parameter: Parameter<Row> | null
  /** SQL for the value, from the parameter's element; `now` is the SQL for the time of the insert. */
  sql(element: string, now: string): string
  value?: Value
}

type Columns<Table extends keyof Tables, Row> = {
  [Name in keyof Insertable<Tables[Table]>]: Column<Row, Insertable<Tables[Table]>[Name]>
}

interface InsertOptions {
  /** A name for the table. */
  as?: string
  /** Joins and order; the batch is `r`, and `r.ordinal` the position in it. */
  source?: string
  onConflict?: string
  returning?: string
}

/** A function that inserts rows; `now` is for columns that are `currentTime`. */
export function insertMany<Table extends keyof Tables, Row>(
  name: string,
  table: Table,
  columns: Columns<Table, Row>,
  { as, source, onConflict, returning }: InsertOptions = {},
) {
  const all = Object.entries<Column<Row, unknown>>(columns)
  const parameters = new Map<Parameter<Row>, string>()
  for (const [column, { parameter }] of all) {
    if (parameter !== null && !parameters.has(parameter)) parameters.set(parameter, column)
  }
  const now = `to_timestamp($${parameters.size + 1}::float8 / 1000.0)`
  const usesNow = all.some(([, column]) => column === currentTime)
  const values = all.map(([, { parameter, sql }]) =>
    sql(parameter === null ? '' : `r.${parameters.get(parameter)}`, now),
  )
  const arrays = [...parameters.keys()].map(({ type }, index) => `$${index + 1}::${type}[]`)
  const text = [
    `insert into ${table}${as ? ` as ${as}` : ''} (${all.map(([column]) => column).join(', ')})`,
    `select ${values.join(', ')}`,
    `from unnest(${arrays.join(', ')}) with ordinality as r (${[...parameters.values()].join(', ')}, ordinal)`,
    source ?? '',
    onConflict ? `on conflict ${onConflict}` : '',
    returning ? `returning ${returning}` : '',
  ].join('\n')
  return async <Returned extends pg.QueryResultRow>(
    client: Client,
    rows: readonly Row[],
    now?: number,
  ): Promise<Returned[]> => {
    if (rows.length === 0) return []
    const values: unknown[] = [...parameters.keys()].map((parameter) => arrayOf(parameter, rows))
    if (usesNow) values.push(now)
    return (await client.query<Returned>({ name, text, values })).rows
  }
}

function arrayOf<Row>({ isQuoted, read }: Parameter<Row>, rows: readonly Row[]): string {
  return isQuoted ? quotedArrayText(rows.map(read)) : arrayText(rows.map(read))
}

export const currentTime: Column<unknown, string> = { parameter: null, sql: (_element, now) => now }

/** The same SQL for all rows. */
export const constant = <Value = never>(sql: string): Column<unknown, Value> => ({
  parameter: null,
  sql: () => sql,
})

type OrNull<Read, Value> = null extends Read ? Value | null : Value

/** The kinds of columns that a row of a batch can fill. */
export function columnKinds<Row>() {
  const plain =
    <Base extends Scalar>(type: string) =>
    <Read extends Base>(read: (row: Row) => Read): Column<Row, Read> => ({
      parameter: { type, isQuoted: false, read },
      sql: (element) => element,
    })
  const quoted = <Value>(read: (row: Row) => string | null, cast = ''): Column<Row, Value> => ({
    parameter: { type: 'text', isQuoted: true, read },
    sql: (element) => element + cast,
  })
  return {
    uuid: plain<string | null>('uuid'),
    /** Text that needs no quotes in an array: our own words. */
    word: plain<string | null>('text'),
    /** Any text. */
    text: <Read extends string | null>(read: (row: Row) => Read) => quoted<Read>(read),
    boolean: plain<boolean | null>('boolean'),
    smallint: plain<number | null>('smallint'),
    integer: plain<number | null>('integer'),
    bigint: plain<number | null>('bigint'),
    real: plain<number | null>('real'),
    /** From milliseconds: building a Date and its text costs more than PostgreSQL's conversion (measured). */
    instant: <Read extends number | null>(read: (row: Row) => Read): Column<Row, OrNull<Read, string>> => ({
      parameter: { type: 'float8', isQuoted: false, read },
      sql: (element) => `to_timestamp(${element} / 1000.0)`,
    }),
    json: <Read extends object | null | undefined>(read: (row: Row) => Read) =>
      quoted<OrNull<Read, string>>((row) => {
        const value = read(row)
        return value ? JSON.stringify(value) : null
      }, '::jsonb'),
    bytes: (read: (row: Row) => Buffer): Column<Row, Buffer> => ({
      parameter: { type: 'bytea', isQuoted: true, read: (row) => `\\x${read(row).toString('hex')}` },
      sql: (element) => element,
    }),
    /** An array for each row, as PostgreSQL's text of it. */
    array: <Element, Read extends string | null>(type: string, read: (row: Row) => Read) =>
      quoted<OrNull<Read, Element[]>>(read, `::${type}[]`),
    /** Booleans as the bits of one parameter. */
    flags: <Name extends string>(reads: Record<Name, (row: Row) => boolean>) => {
      const all = Object.entries<(row: Row) => boolean>(reads)
      const read = (row: Row) => all.reduce((sum, [, isSet], bit) => sum + (isSet(row) ? 1 << bit : 0), 0)
      const parameter = { type: 'integer', isQuoted: false, read }
      const columns = all.map(([name], bit): [string, Column<Row, boolean>] => [
        name,
        { parameter, sql: (element) => `(${element} & ${1 << bit}) > 0` },
      ])
      return Object.fromEntries(columns) as Record<Name, Column<Row, boolean>>
    },
  }
}

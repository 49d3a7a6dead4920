// Which tables are ours and in which order they can be filled: read off the migrations and the catalogue, so that a new
// table is backed up without being named anywhere.
import pg from 'pg'
import { type Migration, readMigrations } from '../core/migrate.ts'

export interface OwnTable {
  name: string
  columns: string[]
  /** A partition that was created at run time, not by a migration. */
  partition?: { of: string; bound: string } | undefined
}

export interface Sequence {
  table: string
  column: string
  lastValue: number
  isCalled: boolean
}

interface Relation {
  name: string
  parent: string | null
  bound: string | null
  isPartitioned: boolean
  isKept: boolean
  columns: string[]
}

/** Not in backups: what was ended after the backup must not become valid again by a restore. */
const endingTables = new Set(['sign_ins', 'one_time_links'])

/** Every table that holds rows worth keeping, referenced ones before those that refer to them. */
export async function listOwnTables(
  client: pg.ClientBase,
  migrations = readMigrations(),
): Promise<OwnTable[]> {
  const relations = (await readRelations(client)).filter(ownership(migrations))
  const rootOf = new Map(relations.map(({ name, parent }) => [name, parent ?? name]))
  const { rows: references } = await client.query<{ table: string; target: string }>(`
    select f.relname as "table", t.relname as target
    from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace`)
  const needs = new Map<string, Set<string>>()
  for (const root of rootOf.values()) needs.set(root, new Set())
  for (const { table, target } of references) {
    const [from, to] = [rootOf.get(table), rootOf.get(target)]
    if (from !== undefined && to !== undefined && from !== to) needs.get(from)?.add(to)
  }
  const order = sortByNeed(needs)
  return relations
    .filter(({ name, isPartitioned, isKept }) => isKept && !isPartitioned && !endingTables.has(name))
    .map(({ name, parent, bound, columns }) => {
      const partition = parent !== null && bound !== null ? { of: parent, bound } : undefined
      return { name, columns, partition }
    })
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))

  function rank(table: OwnTable): number {
    return order.indexOf(table.partition?.of ?? table.name)
  }
}

/** Tables in our schema that no migration of this release makes. */
export async function listForeignTables(client: pg.ClientBase): Promise<string[]> {
  const isOwn = ownership(readMigrations())
  return (await readRelations(client)).filter((relation) => !isOwn(relation)).map(({ name }) => name)
}

/** All except the list of applied migrations. */
export async function dropTables(client: pg.ClientBase, which: 'own' | 'all'): Promise<void> {
  const isOwn = ownership(readMigrations())
  const names = (await readRelations(client))
    .filter((relation) => relation.parent === null && relation.name !== ledger)
    .filter((relation) => which === 'all' || isOwn(relation))
    .map(({ name }) => quoteTable(name))
  if (names.length > 0) await client.query(`drop table ${names.join(', ')} cascade`)
}

/** The last issued values, not the highest in use: the id of a deleted row must not be reused. */
export async function readSequences(
  client: pg.ClientBase,
  migrations = readMigrations(),
): Promise<Sequence[]> {
  const isOwn = ownership(migrations)
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(`
    select c.relname as "table", a.attname as "column",
      pg_get_serial_sequence(format('public.%I', c.relname), a.attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attidentity <> '' and a.attnum > 0 and not a.attisdropped
    order by c.relname`)
  const sequences: Sequence[] = []
  for (const { table, column, sequence } of rows) {
    if (!isOwn({ name: table, parent: null })) continue
    const { rows: state } = await client.query<{ lastValue: number; isCalled: boolean }>(
      `select last_value as "lastValue", is_called as "isCalled" from ${sequence}`,
    )
    if (state[0] !== undefined) sequences.push({ table, column, ...state[0] })
  }
  return sequences
}

export function quoteTable(name: string): string {
  return `public.${pg.escapeIdentifier(name)}`
}

const ledger = 'schema_migrations'

/** Whether a table is created by a migration, or is a partition of one that is. */
function ownership(migrations: Migration[]): (table: Pick<Relation, 'name' | 'parent'>) => boolean {
  const making = /^\s*create (?:unlogged )?table (?:if not exists )?(\w+)|\brename to (\w+)/gim
  const names = new Set([ledger])
  for (const { sql } of migrations) {
    for (const [, created, renamed] of sql.matchAll(making)) names.add(created ?? renamed ?? '')
  }
  return ({ name, parent }) => names.has(parent ?? name)
}

async function readRelations(client: pg.ClientBase): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(`
    select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
      c.relkind = 'p' as "isPartitioned", c.relpersistence = 'p' as "isKept",
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum
      ) as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    order by c.relname`)
  return rows
}

function sortByNeed(needs: Map<string, Set<string>>): string[] {
  const sorted: string[] = []
  const visit = (name: string, path: string[]) => {
    if (sorted.includes(name)) return
    if (path.includes(name)) throw new Error(`The tables ${path.join(', ')} refer to each other in a circle.`)
    for (const needed of needs.get(name) ?? []) visit(needed, [...path, name])
    sorted.push(name)
  }
  for (const name of [...needs.keys()].sort()) visit(name, [])
  return sorted
}

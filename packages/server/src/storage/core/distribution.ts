// Distributes history over the machines of a Citus cluster. Only this file knows Citus: all other SQL is the same on plain
// PostgreSQL.
import type pg from 'pg'
import type { Shard } from './shards.ts'

/** Keyed by check. The first one decides the shards, and the others have theirs on the same machines. */
export const historyTables = [
  'results',
  'result_details',
  'unsampled_details',
  'artifacts',
  'rollups',
  'rollup_pending',
  'coverage',
  'missed_runs',
  'heartbeat_events',
] as const

export type HistoryTable = (typeof historyTables)[number]

export type ClusterClient = Pick<pg.PoolClient, 'query'>

export interface Cluster {
  /** Null: the extension isn't created in this database. */
  version: string | null
  /** The files of the extension are installed. */
  isInstalled: boolean
  /** This node has an address in the cluster, so that others can reach it. */
  isCoordinator: boolean
  workers: { address: string; isActive: boolean }[]
  walLevel: string
  maxPreparedTransactions: number
  /** Null: this release of PostgreSQL allows all. */
  outputPlugins: string[] | null
}

export async function readCluster(client: ClusterClient): Promise<Cluster> {
  const { rows } = await client.query<
    Omit<Cluster, 'isCoordinator' | 'workers' | 'outputPlugins'> & { plugins: string | null }
  >(
    `select (select extversion from pg_extension where extname = 'citus') as version,
       exists (select from pg_available_extensions where name = 'citus') as "isInstalled",
       current_setting('wal_level') as "walLevel",
       current_setting('max_prepared_transactions')::int as "maxPreparedTransactions",
       current_setting('output_plugin_libraries', true) as plugins`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('The statement returned no row')
  const { plugins, ...known } = row
  const nodes = known.version === null ? [] : await listNodes(client)
  return {
    ...known,
    isCoordinator: nodes.some(({ group }) => group === 0),
    workers: nodes.filter(({ hasShards }) => hasShards),
    outputPlugins: plugins === null ? null : plugins.split(',').map((name) => name.trim()),
  }
}

/**
 * The planner of the cluster can't run a statement, usually since only some of its tables are distributed yet. It has many functions that
 * say so; their messages aren't translated.
 */
export function isRefusedByCluster({ routine, message }: pg.DatabaseError): boolean {
  return routine === 'RaiseDeferredErrorInternal' || /\bdistributed\b/.test(message)
}

async function listNodes(client: ClusterClient) {
  const { rows } = await client.query<{
    group: number
    address: string
    isActive: boolean
    hasShards: boolean
  }>(
    `select groupid as group, nodename || ':' || nodeport as address, isactive as "isActive", shouldhaveshards as "hasShards"
     from pg_dist_node where noderole = 'primary' order by nodeid`,
  )
  return rows
}

/** What must change before tables can be distributed while the product writes; empty: nothing. */
export function missingFor(cluster: Cluster): string[] {
  const { version, isInstalled, isCoordinator, workers, walLevel, maxPreparedTransactions, outputPlugins } =
    cluster
  if (version === null) {
    return [
      isInstalled
        ? 'The extension citus is installed, but not created here: add it to shared_preload_libraries on every node, restart them, and run "create extension citus" in this database on every node.'
        : 'The extension citus is not installed on this PostgreSQL. Install Citus 13 on every node, as its documentation says.',
    ]
  }
  const inactive = workers.filter(({ isActive }) => !isActive).map(({ address }) => address)
  return [
    ...(isCoordinator
      ? []
      : ['The coordinator has no address. Run: select citus_set_coordinator_host(HOST, PORT)']),
    ...(workers.length > 0
      ? []
      : ['There are no worker nodes. For each, run on the coordinator: select citus_add_node(HOST, PORT)']),
    ...(inactive.length === 0
      ? []
      : [`Worker nodes are inactive: ${inactive.join(', ')}. Run: select citus_activate_node(HOST, PORT)`]),
    ...(walLevel === 'logical'
      ? []
      : [`wal_level is ${walLevel}. Set it to logical on every node and restart them.`]),
    ...(maxPreparedTransactions > 0
      ? []
      : ['max_prepared_transactions is 0. Set it to max_connections on every node and restart them.']),
    ...(outputPlugins === null || outputPlugins.includes('citus')
      ? []
      : ["output_plugin_libraries doesn't contain citus. Add it on every node and reload them."]),
  ]
}

export interface HistoryState {
  table: HistoryTable
  /** interrupted: an earlier distribution didn't end; the table is complete and local. */
  state: 'local' | 'interrupted' | 'distributed'
  shards: number
  bytes: number
  /** Its primary key contains check_id. */
  hasKey: boolean
  /** Tables that it refers to; null: none. */
  references: string | null
}

export async function listHistory(
  client: ClusterClient,
  { version }: Pick<Cluster, 'version'>,
): Promise<HistoryState[]> {
  const { rows } = await client.query<Omit<HistoryState, 'state' | 'shards'>>(
    `select t.name as table,
       (select coalesce(sum(pg_total_relation_size(p.relid)), 0)::float8 from pg_partition_tree(t.name::regclass) p) as bytes,
       exists (select from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey)
         where k.conrelid = t.name::regclass and k.contype = 'p' and a.attname = 'check_id') as "hasKey",
       (select string_agg(k.confrelid::regclass::text, ', ') from pg_constraint k
         where k.conrelid = t.name::regclass and k.contype = 'f') as references
     from unnest($1::text[]) with ordinality as t (name, position) order by t.position`,
    [historyTables],
  )
  const shards =
    version === null ? new Map<string, { method: string; shards: number }>() : await listShards(client)
  return rows.map((row) => {
    const known = shards.get(row.table)
    const state = known === undefined ? 'local' : known.method === 'h' ? 'distributed' : 'interrupted'
    return { ...row, state, shards: state === 'distributed' ? (known?.shards ?? 0) : 0 }
  })
}

async function listShards(client: ClusterClient) {
  const { rows } = await client.query<{ table: string; method: string; shards: number }>(
    `select p.logicalrelid::text as table, p.partmethod as method, count(s.shardid)::int as shards
     from pg_dist_partition p left join pg_dist_shard s on s.logicalrelid = p.logicalrelid
     where p.logicalrelid::text = any($1::text[]) group by 1, 2`,
    [historyTables],
  )
  return new Map(rows.map((row) => [row.table, row]))
}

/**
 * Must run on a connection without a transaction and without a time limit. Writers wait only for the last rows. A table
 * without partitions has no rows to copy, and the concurrent function fails for it.
 */
export async function distribute(client: ClusterClient, table: HistoryTable, shards: number): Promise<void> {
  const isFirst = table === historyTables[0]
  const target = isFirst
    ? `shard_count := ${shards}, colocate_with := 'none'`
    : `colocate_with := '${historyTables[0]}'`
  const { rows } = await client.query<{ isEmpty: boolean }>(
    `select count(*) = 1 and bool_and(c.relkind = 'p') as "isEmpty"
     from pg_partition_tree($1::regclass) t join pg_class c on c.oid = t.relid`,
    [table],
  )
  const how = rows[0]?.isEmpty === true ? 'create_distributed_table' : 'create_distributed_table_concurrently'
  await client.query(`select ${how}('${table}', 'check_id', ${target})`)
}

/** Copies the rows of a table back to the coordinator. Writers wait meanwhile. */
export async function undistribute(client: ClusterClient, table: HistoryTable): Promise<void> {
  await client.query(`select undistribute_table('${table}')`)
}

/** By hash; empty: history isn't distributed. */
export async function readShards(client: ClusterClient): Promise<Shard[]> {
  const known = await client.query<{ isKnown: boolean }>(
    `select to_regclass('pg_dist_shard') is not null as "isKnown"`,
  )
  if (known.rows[0]?.isKnown !== true) return []
  const { rows } = await client.query<Shard>(
    `select s.shardminvalue::int as start, min(p.groupid)::int as node
     from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
     where s.logicalrelid = '${historyTables[0]}'::regclass and s.shardminvalue is not null group by 1 order by 1`,
  )
  return rows
}

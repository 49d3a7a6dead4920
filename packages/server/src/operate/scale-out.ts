// Distributes history over the machines of a cluster, while the product runs. Every table is done or not: a command that was
// killed continues where it was.
import type { Pool } from '../storage/core/db.ts'
import {
  type ClusterClient,
  distribute,
  type HistoryState,
  listHistory,
  missingFor,
  readCluster,
  undistribute,
} from '../storage/core/distribution.ts'
import { ensureDays, ensureMonths } from '../storage/core/partitions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { formatTable } from './table.ts'

/** Each shard that a report of an agent writes to is a connection and a commit of its own, so few are better. */
const defaultShards = 8

export const scaleOutCommands: Record<string, Command> = {
  'scale-out': {
    usage: 'scale-out [--check] [--shards NUMBER] [--undo]',
    summary: 'distributes the history of checks over the machines of a cluster, while the server runs',
    options: { check: { type: 'boolean' }, shards: { type: 'string' }, undo: { type: 'boolean' } },
    run: scaleOut,
  },
}

async function scaleOut(input: Input): Promise<Output> {
  const shards = readShards(input.text('shards'))
  if (input.flag('check') && input.flag('undo')) throw new UsageError('Use either --check or --undo.')
  return withStore(input.config, {}, async ({ pool }) => {
    const client = await pool.connect()
    try {
      // Copying years of history takes long.
      await client.query('set statement_timeout = 0')
      if (input.flag('check')) return await check(client, shards)
      await lock(client)
      return await (input.flag('undo') ? undo(client, input) : run(pool, client, shards, input))
    } finally {
      client.release(true)
    }
  })
}

function readShards(text: string | undefined): number {
  const shards = text === undefined ? defaultShards : Number(text)
  if (Number.isInteger(shards) && shards >= 2 && shards <= 1024) return shards
  throw new UsageError(
    '--shards must be a number from 2 to 1024: some 2 to 4 for each worker that you will ever have.',
  )
}

async function check(client: ClusterClient, shards: number): Promise<Output> {
  const { cluster, missing, tables } = await read(client)
  const rows = tables.map(({ table, state, bytes, shards: existing }) =>
    state === 'distributed'
      ? [table, state, null, `nothing, it has ${existing} shards`]
      : [table, state, sizeOf(bytes), `copy into ${shards} shards`],
  )
  const verdict =
    missing.length === 0
      ? `${cluster.workers.length} workers. Nothing is missing: run "vedette scale-out".`
      : `Missing:\n${missing.map((line) => `  - ${line}`).join('\n')}`
  return {
    json: { isReady: missing.length === 0, missing, cluster, tables },
    text: `${formatTable(['table', 'state', 'size', 'next'], rows, '')}\n${verdict}`,
  }
}

async function read(client: ClusterClient) {
  const cluster = await readCluster(client)
  const tables = await listHistory(client, cluster)
  return { cluster, tables, missing: [...missingFor(cluster), ...tables.flatMap(missingIn)] }
}

function missingIn({ table, hasKey, references }: HistoryState): string[] {
  return [
    ...(hasKey ? [] : [`The primary key of ${table} doesn't contain check_id.`]),
    ...(references === null ? [] : [`${table} refers to ${references}, which stays on the coordinator.`]),
  ]
}

const lockKey = 727_090

async function lock(client: ClusterClient): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
    lockKey,
  ])
  if (rows[0]?.locked === true) return
  throw new OperatorError(
    'Another scale-out is running, or PostgreSQL is still working for one that was killed: try again when it is done.',
  )
}

async function run(pool: Pool, client: ClusterClient, shards: number, input: Input): Promise<Output> {
  const { cluster, missing, tables } = await read(client)
  if (missing.length > 0) throw new OperatorError(`Nothing was changed.\n${missing.join('\n')}`)
  await createPartitions(pool)
  const open = tables.filter(({ state }) => state !== 'distributed')
  const done: { table: string; seconds: number }[] = []
  for (const [index, { table, bytes, state }] of open.entries()) {
    input.progress(`${index + 1} of ${open.length}: ${table}, ${sizeOf(bytes)}`)
    const began = performance.now()
    // What is left of a distribution that didn't end.
    if (state === 'interrupted') await undistribute(client, table)
    await distribute(client, table, shards)
    done.push({ table, seconds: Math.round((performance.now() - began) / 100) / 10 })
  }
  return {
    json: { tables: done, workers: cluster.workers },
    text:
      done.length === 0
        ? 'All history is distributed already.'
        : `${formatTable(
            ['table', 'seconds'],
            done.map(({ table, seconds }) => [table, seconds]),
            '',
          )}\nHistory is distributed over ${cluster.workers.length} workers.`,
  }
}

/** Creating a partition waits for the distribution of its table, and results would wait with it. */
async function createPartitions(pool: Pool): Promise<void> {
  const day = 86_400_000
  const days = [0, 1, 2].map((n) => Date.now() + n * day)
  await inTransaction(pool, async (client) => {
    await ensureDays(client, days)
    await ensureMonths(client, days)
  })
}

async function undo(client: ClusterClient, input: Input): Promise<Output> {
  const cluster = await readCluster(client)
  const distributed = (await listHistory(client, cluster)).filter(({ state }) => state !== 'local').reverse()
  for (const [index, { table }] of distributed.entries()) {
    input.progress(`${index + 1} of ${distributed.length}: ${table}`)
    await undistribute(client, table)
  }
  const tables = distributed.map(({ table }) => table)
  return {
    json: { tables },
    text:
      tables.length === 0 ? 'No history is distributed.' : `Back on the coordinator: ${tables.join(', ')}.`,
  }
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ** 3 ? `${Math.ceil(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

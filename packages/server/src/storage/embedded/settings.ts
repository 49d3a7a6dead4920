import { join } from 'node:path'

export const PORT = 5432
export const SUPERUSER = 'vedette'
const DATABASE = 'vedette'
export const leastSharedBuffersMb = 24

/** Every field is given: `pg` would fill a missing port or ssl from PGPORT and PGSSLMODE. */
export type Connection = {
  host: string
  port: number
  user: string
  password: string
  database: string
  ssl: false
}

export function connectionTo(socketDir: string, password: string): Connection {
  return { host: socketDir, port: PORT, user: SUPERUSER, password, database: DATABASE, ssl: false }
}

export function clusterDirOf(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/** A fixed environment: PGDATA, PGPORT or LC_ALL of the user's shell must not affect PostgreSQL. */
export const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Visible in the process list: a later start recognizes an orphan by it, whatever -D is. */
export function markOf(dataDir: string): string {
  return `vedette.data_dir=${dataDir}`
}

export function settingsOf(dataDir: string, socketDir: string): string[] {
  const settings = [
    markOf(dataDir),
    'listen_addresses=',
    `port=${PORT}`,
    `unix_socket_directories=${socketDir}`,
    'unix_socket_permissions=0700',
    'cluster_name=vedette',
    'max_connections=100',
    `shared_buffers=${leastSharedBuffersMb}MB`,
    'fsync=on',
    'full_page_writes=on',
    'synchronous_commit=on',
    // The npm binaries are built without lz4 and zstd.
    'wal_compression=pglz',
    // Our queries are short and many: compiling them costs more than it saves.
    'jit=off',
    // Parallel queries need /dev/shm, which is 64 MB in a default container: a large one would fail there and not here.
    'max_parallel_workers_per_gather=0',
    'max_parallel_maintenance_workers=0',
    // Processes that wait for work, and take memory: nothing is replicated from here. How much slower large reads are without their
    // workers isn't measured.
    'max_logical_replication_workers=0',
    'io_method=sync',
    // Shared memory that is initialized for each possible process, and for each of its reads in progress.
    'max_worker_processes=0',
    'autovacuum_worker_slots=3',
    'io_max_concurrency=4',
    // A query over a long range locks every daily partition and each of its indexes.
    'max_locks_per_transaction=256',
    // Schedule rows are updated all the time; dead versions must go before they slow the claim down.
    'autovacuum_naptime=15s',
    'timezone=UTC',
    'log_timezone=UTC',
    'log_destination=stderr',
    'logging_collector=off',
    'log_line_prefix=',
    'lc_messages=C',
    // Statements hold customers' values; the caller gets the error anyway.
    'log_min_error_statement=panic',
    'log_checkpoints=off',
  ]
  return settings.flatMap((setting) => ['-c', setting])
}

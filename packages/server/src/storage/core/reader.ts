import type pg from 'pg'
import { connectBeside } from './pool.ts'

/** A backend of the embedded PostgreSQL takes 8 MB of this machine. */
const mostIdleMs = 60_000

/**
 * Short reads by key, pipelined on one connection. Under load the wake-ups between two processes cost more than the
 * query: with 8 concurrent callers, reading a check took 141 µs of server CPU instead of 220 with a pool connection each,
 * and 6,000 reads/s instead of 3,500 (measured on two cores, with PostgreSQL and the callers on them).
 * Slow queries don't belong here: each query waits for those before it.
 */
export class Reader {
  private readonly pool: pg.Pool
  private readonly isPipelined: boolean
  private readonly unused: NodeJS.Timeout
  private connecting: Promise<pg.Client> | null = null
  private pending = 0

  /** PgBouncer returns a session to its pool after the first response, so its queries can't be pipelined. */
  constructor(
    pool: pg.Pool,
    { isPipelined, idleMs = mostIdleMs }: { isPipelined: boolean; idleMs?: number },
  ) {
    this.pool = pool
    this.isPipelined = isPipelined
    this.unused = setTimeout(() => {
      if (this.pending === 0) this.close()
      else this.unused.refresh()
    }, idleMs).unref()
  }

  async query<T extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<{ rows: T[] }> {
    if (!this.isPipelined) return this.pool.query<T>(query, values)
    this.pending += 1
    try {
      this.connecting ??= this.connect()
      const client = await this.connecting
      return await client.query<T>(query, values)
    } finally {
      this.pending -= 1
      this.unused.refresh()
    }
  }

  async close(): Promise<void> {
    const { connecting } = this
    this.connecting = null
    const client = await connecting?.catch(() => undefined)
    await client?.end()
  }

  private connect(): Promise<pg.Client> {
    const forget = () => {
      if (this.connecting === connecting) this.connecting = null
    }
    const connecting = connectBeside(this.pool, { pipeline: true }).then(async (client) => {
      // Reads by key have one good plan; for lists of keys PostgreSQL would make a new one each time (measured: 300 µs instead of 70).
      await client.query('set plan_cache_mode = force_generic_plan')
      // Pending queries fail; the next one connects again.
      client.on('error', forget)
      client.once('end', forget)
      return client
    })
    connecting.catch(forget)
    return connecting
  }
}

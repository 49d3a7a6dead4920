// The host that accepts writes. PostgreSQL replicates to standbys, and one of them is promoted when the primary fails:
// connections to the old one are then closed, and new ones go to the new one.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '@vedette/safeguards/errors'
import pg from 'pg'
import type { DatabaseHost } from '../../config/database-url.ts'
import type { Log } from '../../core/log.ts'

/** No host accepts writes at the moment. */
export class NoPrimaryError extends Error {
  override name = 'NoPrimaryError'
}

/** What a host replied. */
export interface Probe {
  host: DatabaseHost
  isWritable: boolean
  /** Eight hexadecimal digits; each promotion begins a higher one. Empty if it isn't known. */
  timeline: string
  /** Why it isn't writable. */
  reason?: string
  cause?: unknown
}

const probeTimeoutMs = 2_000
const searchEveryMs = 250
/** A query that takes longer may be on a connection whose other end is gone. */
const hangMs = 5_000
const readOnlyTransaction = '25006'

const readOnlyQuery = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only`
const timelineQuery = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline'

export interface PrimaryOptions {
  hosts: readonly DatabaseHost[]
  /** The primary is another host now. */
  onMove(host: DatabaseHost): void
  log?: Log | undefined
}

export class Primary {
  readonly #options: PrimaryOptions
  readonly #clients = new Set<pg.Client>()
  #current: DatabaseHost
  #searching: Promise<void> | null = null
  #isClosed = false

  constructor(options: PrimaryOptions) {
    const [first] = options.hosts
    if (first === undefined) throw new Error('A store needs a host')
    this.#options = options
    this.#current = first
  }

  /** At the start: throws with the reason of each host if none accepts writes. */
  async find(): Promise<void> {
    const { hosts } = this.#options
    if (hosts.length > 1) this.#use(choosePrimary(await probeAll(hosts), this.#current))
  }

  /** For a new connection: refuses a standby, and notices when the connection breaks. */
  async admit(client: pg.Client): Promise<void> {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
    client.on('error', () => this.#search())
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      // Later, so that the query fails with this error and not with that of a closed connection.
      if (code === readOnlyTransaction) setImmediate(() => this.#demote())
    })
    if (!(await isReadOnly(client))) return
    this.#search()
    throw new NoPrimaryError(`The PostgreSQL at ${this.#current.label} is read-only: it is a standby.`)
  }

  /** Called periodically. False: there is no primary at the moment. */
  async verify(pool: pg.Pool): Promise<boolean> {
    const timer = setTimeout(() => this.#search(), hangMs)
    timer.unref()
    try {
      if (!(await isReadOnly(pool))) return true
      this.#demote()
    } catch {
      this.#search()
    } finally {
      clearTimeout(timer)
    }
    return false
  }

  close(): void {
    this.#isClosed = true
  }

  #demote(): void {
    this.#drop()
    this.#search()
  }

  /** Destroyed, not ended: the other end may not respond, and the pool must notice. */
  #drop(): void {
    for (const { connection } of this.#clients) connection.stream.destroy()
  }

  #search(): void {
    if (this.#isClosed || this.#options.hosts.length === 1) return
    this.#searching ??= this.#searchUntilFound().finally(() => {
      this.#searching = null
    })
  }

  async #searchUntilFound(): Promise<void> {
    const { hosts, log } = this.#options
    for (let tries = 0; !this.#isClosed; tries++) {
      try {
        this.#use(choosePrimary(await probeAll(hosts), this.#current))
        return
      } catch (error) {
        if (tries === 0) log?.warn({ reason: errorMessage(error) }, 'database.no-primary')
        await sleep(searchEveryMs, undefined, { ref: false })
      }
    }
  }

  #use(host: DatabaseHost): void {
    if (host === this.#current || this.#isClosed) return
    const { label: from } = this.#current
    this.#current = host
    this.#options.onMove(host)
    this.#drop()
    this.#options.log?.warn({ from, to: host.label }, 'database.primary-moved')
  }
}

/** If two hosts accept writes, the one that was promoted last is right: the other one wasn't stopped. */
export function choosePrimary(probes: readonly Probe[], current: DatabaseHost): DatabaseHost {
  const [best] = probes
    .filter(({ isWritable }) => isWritable)
    .sort(
      (a, b) =>
        b.timeline.localeCompare(a.timeline) || Number(b.host === current) - Number(a.host === current),
    )
  if (best !== undefined) return best.host
  const reasons = probes.map(({ host, reason }) => `${host.label} ${reason}`)
  // A wrong password or database name is wrong on all hosts.
  const [cause] = probes.flatMap((probe) => (probe.cause === undefined ? [] : [probe.cause]))
  throw new NoPrimaryError(`None of the hosts accepts writes: ${reasons.join('; ')}.`, { cause })
}

function probeAll(hosts: readonly DatabaseHost[]): Promise<Probe[]> {
  return Promise.all(hosts.map(probe))
}

async function probe(host: DatabaseHost): Promise<Probe> {
  const client = new pg.Client({
    connectionString: host.connectionString,
    application_name: 'vedette: find primary',
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    if (await isReadOnly(client)) return { host, isWritable: false, timeline: '', reason: 'is a standby' }
    return { host, isWritable: true, timeline: await readTimeline(client) }
  } catch (cause) {
    const reason = `doesn't respond (${errorMessage(cause)})`
    return { host, isWritable: false, timeline: '', reason, cause }
  } finally {
    client.end().catch(() => undefined)
  }
}

async function isReadOnly(queryable: pg.Pool | pg.Client): Promise<boolean> {
  const { rows } = await queryable.query<{ is_read_only: boolean }>(readOnlyQuery)
  return rows[0]?.is_read_only === true
}

/** Some managed services don't have these functions. */
async function readTimeline(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ timeline: string }>(timelineQuery).catch(() => ({ rows: [] }))
  return rows[0]?.timeline ?? ''
}

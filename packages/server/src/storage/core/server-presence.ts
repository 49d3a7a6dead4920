// Advisory locks on a database: servers and backups share it, a restore or a rotation of the secret key needs it alone.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../core/log.ts'
import { connectBeside } from './pool.ts'

export interface Presence {
  release(): Promise<void>
}

const lockKey = 727_002
const retryMs = 500

/**
 * Holds the shared lock until it's released, and waits while a restore or a rotation of the secret key runs. Call it
 * before migrating and before reading the secret key: a restore changes both.
 */
export async function announceServer(pool: pg.Pool, log?: Log): Promise<Presence> {
  let isReleased = false
  let client = await waitForTurn(pool, log)
  const watch = (watched: pg.Client) => watched.once('end', () => isReleased || reacquire())
  const reacquire = async () => {
    while (!isReleased) {
      try {
        client = await waitForTurn(pool, log)
        if (isReleased) await client.end()
        else watch(client)
        return
      } catch {
        // PostgreSQL is unavailable; the pool logs its errors.
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }
  watch(client)
  return {
    async release() {
      isReleased = true
      await client.end().catch(() => undefined)
    },
  }
}

/** For commands: null if another process holds a lock that excludes this one. */
export async function holdStore(pool: pg.Pool, access: 'shared' | 'exclusive'): Promise<Presence | null> {
  const client = await connect(pool)
  if (!(await tryLock(client, access))) {
    await client.end()
    return null
  }
  return { release: () => client.end() }
}

async function waitForTurn(pool: pg.Pool, log?: Log): Promise<pg.Client> {
  const client = await connect(pool)
  try {
    for (let turn = 0; !(await tryLock(client, 'shared')); turn++) {
      if (turn === 0) log?.warn('waiting: a restore or a rotation of the secret key is using this data')
      await sleep(retryMs)
    }
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

async function tryLock(client: pg.Client, access: 'shared' | 'exclusive'): Promise<boolean> {
  const lock = access === 'shared' ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query<{ locked: boolean }>(`select ${lock}($1) as locked`, [lockKey])
  return rows[0]?.locked === true
}

/** A separate connection: the lock ends with it. */
function connect(pool: pg.Pool): Promise<pg.Client> {
  return connectBeside(pool, { keepAlive: true })
}

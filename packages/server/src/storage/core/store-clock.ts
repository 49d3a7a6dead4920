// The store's time. All servers judge leases, claims and presence by it, so a server whose own clock is wrong does no harm.
import { createRemoteClock } from '@vedette/contracts/remote-clock'
import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { every, type Loop } from '../../core/loop.ts'

const sampleEveryMs = 10_000
/** The first sample includes opening a connection. */
const firstSamples = 3
/** A difference that is worth a warning. */
const wrongByMs = 2_000

export async function openStoreClock(pool: pg.Pool, log: Log): Promise<Clock & Loop> {
  const clock = createRemoteClock()
  const sample = async () => {
    const sentAt = clock.monotonic()
    const { rows } = await pool.query<{ ms: number }>(
      "select date_part('epoch', clock_timestamp()) * 1000 as ms",
    )
    const [row] = rows
    if (row !== undefined) clock.sample(sentAt, clock.monotonic(), row.ms)
  }
  for (let count = 0; count < firstSamples; count++) await sample()
  const { offsetMs } = clock
  if (offsetMs !== null && Math.abs(offsetMs) > wrongByMs)
    log.warn(
      { offsetMs },
      "clock.wrong: this machine's clock differs from the database's, which the server uses",
    )
  const loop = every(sampleEveryMs, sample, log, 'clock')
  return { now: () => Math.floor(clock.now()), stop: () => loop.stop() }
}

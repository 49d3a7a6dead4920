// What 100 clients cost that watch the home screen while every check runs once a minute.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectTo, cpuSeconds, postgresOf, type Vedette } from './server-process.ts'

/** Of a core. */
const goalShare = 0.05
const clients = 100
/** With and without clients by turns: what PostgreSQL tidies up meanwhile, and what else the machine does, falls on both. */
const rounds = 5
const roundSeconds = 20

/**
 * Statuses change as after a run of each check in a minute, the oldest first: no check is without a run for so long that its state
 * becomes unknown. Results aren't recorded: that costs the same with and without clients.
 * Returns whether the goal is met.
 */
export async function measureLive(vedette: Vedette, checkCount: number): Promise<boolean> {
  const store = await connectTo(vedette)
  const change = async () => {
    const text = `with ran as (
        update check_statuses set decided_at = now(), known_at = now(), updated_at = now()
        where check_id = any(array(select check_id from check_statuses order by decided_at limit ${Math.ceil(checkCount / 60)}))
        returning check_id)
      update schedule set served = jsonb_build_object(location, floor(date_part('epoch', now()) * 1000)) from ran
      where schedule.check_id = ran.check_id`
    for (let second = 0; second < roundSeconds; second++) await Promise.all([store.query(text), sleep(1000)])
  }
  // PostgreSQL starts and ends processes meanwhile.
  const used = () => cpuSeconds([vedette.pid, ...postgresOf(vedette)])
  const measure = async () => {
    const before = used()
    await change()
    return (used() - before) / roundSeconds
  }
  const { rows } = await store.query<{ id: string }>('select id from checks order by name limit 50')
  const url = `${vedette.url}/v1/events?checkIds=${rows.map(({ id }) => id).join(',')}`
  const keys = await createKeys(store, vedette)
  const shares: number[] = []
  let messages = 0
  for (let round = 0; round < rounds; round++) {
    const alone = await measure()
    const watchers = await watch(url, keys)
    shares.push((await measure()) - alone)
    messages += watchers.close()
    await sleep(1000)
  }
  await store.end()
  const sorted = shares.toSorted((a, b) => a - b)
  const share = sorted[Math.floor(rounds / 2)] ?? Number.NaN
  const isMet = share <= goalShare
  const percent = (value: number) => (100 * value).toFixed(1)
  console.log(
    `${clients} clients, ${(messages / rounds / roundSeconds).toFixed(0)} messages/s: ${percent(share)} % of a core more than none (${sorted.map(percent).join(', ')}) — ${isMet ? 'met' : 'MISSED'}`,
  )
  return isMet
}

/** Each client has a key of its own: the server asks for each of them whether it is still valid. */
async function createKeys(store: pg.Client, { accountId }: Vedette): Promise<string[]> {
  const keys = Array.from({ length: clients }, (_, index) => `vs_bench${index}`)
  await store.query(
    `insert into api_keys (id, account_id, role, name, hash, masked_key)
     select gen_random_uuid(), $1, 'READ_ONLY', 'Bench', sha256(convert_to(key, 'UTF8')), '' from unnest($2::text[]) key`,
    [accountId, keys],
  )
  return keys
}

/** Opens the streams; closing them tells how many messages came since all of them were open. */
async function watch(url: string, keys: readonly string[]): Promise<{ close(): number }> {
  const agent = new Agent({ maxSockets: clients })
  let messages = 0
  const streams = keys.map((key) =>
    request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) =>
      response.on('data', () => {
        messages += 1
      }),
    ).on('error', () => undefined),
  )
  for (const stream of streams) stream.end()
  await sleep(3000)
  messages = 0
  return {
    close() {
      for (const stream of streams) stream.destroy()
      return messages
    },
  }
}

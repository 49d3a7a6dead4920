// What 100 clients cost that watch the home screen while every check runs once a minute.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, postgresOf, type Vedette } from './server-process.ts'
import { connectTo } from './web-data.ts'

/** Of a core. */
const goalShare = 0.05
const clients = 100
const liveSeconds = 30

/**
 * Statuses change as after a run of each check in a minute. Results aren't recorded: that costs the same with and without clients.
 * Returns whether the goal is met.
 */
export async function measureLive(vedette: Vedette, checkCount: number): Promise<boolean> {
  const store = await connectTo(vedette)
  const change = async () => {
    const text = `update check_statuses set decided_at = now(), known_at = now(), updated_at = now()
      where check_id = any(array(select check_id from check_statuses order by random() limit ${Math.ceil(checkCount / 60)}))`
    for (let second = 0; second < liveSeconds; second++) await Promise.all([store.query(text), sleep(1000)])
  }
  const measure = async () => {
    const pids = [vedette.pid, ...postgresOf(vedette)]
    const before = cpuSeconds(pids)
    await change()
    return (cpuSeconds(pids) - before) / liveSeconds
  }
  const { rows } = await store.query<{ id: string }>('select id from checks order by name limit 50')
  const alone = await measure()
  const headers = { authorization: `Bearer ${vedette.key}` }
  const url = `${vedette.url}/v1/events?checkIds=${rows.map(({ id }) => id).join(',')}`
  const agent = new Agent({ maxSockets: clients })
  let messages = 0
  const streams = Array.from({ length: clients }, () =>
    request(url, { agent, headers }, (response) =>
      response.on('data', () => {
        messages += 1
      }),
    ).on('error', () => undefined),
  )
  for (const stream of streams) stream.end()
  await sleep(3000)
  messages = 0
  const watched = await measure()
  for (const stream of streams) stream.destroy()
  await store.end()
  const share = watched - alone
  const isMet = share <= goalShare
  console.log(
    `${clients} clients, ${(messages / liveSeconds).toFixed(0)} messages/s: ${(100 * share).toFixed(1)} % of a core more than none — ${isMet ? 'met' : 'MISSED'}`,
  )
  return isMet
}

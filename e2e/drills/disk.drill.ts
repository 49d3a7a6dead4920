// npm run drill -- disk: a server with its agent on a file system of 1 GB that fills up. The oldest details are dropped, the server
// stays up, an agent that can't journal claims nothing, and everything continues when there is space. Needs root.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUrlMonitor } from '@vedette/contracts'
import pg from 'pg'
import { Account } from '../account.ts'
import { Installation } from '../installation.ts'
import { until } from '../until.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const dayMs = 86_400_000
const timeoutMs = 120_000
/** The longest wait of a claim; one that is waiting when the disk becomes full may still get a run. */
const openClaimMs = 22_000
const healthPort = 18_081

const disk = smallDisk()
const target = createServer((_request, response) => response.end('fine')).listen(0, '127.0.0.1')
const installation = await Installation.create()
const dataDir = join(disk.path, 'data')
try {
  const running = await installation.start({
    DATA_DIR: dataDir,
    AGENT_HEALTH_PORT: String(healthPort),
    LOG_LEVEL: 'error',
  })
  try {
    await drill(new Account(installation, running))
    console.log('The drill is passed.')
  } finally {
    process.stderr.write(running.errors())
    await running.terminate('SIGTERM', 'npm')
  }
} finally {
  await installation.remove()
  target.close()
  disk.unmount()
}

function smallDisk(): SmallDisk {
  try {
    return mountSmallDisk(1024)
  } catch (error) {
    console.error(`The drill was not held: ${(error as Error).message}`)
    process.exit(2)
  }
}

async function drill(account: Account): Promise<void> {
  const metric = (name: string) => readMetric(account.baseUrl, name)
  const isUp = async (path: string) => (await fetch(account.baseUrl + path)).status === 200
  const claimsNothing = async () => String((await health()).status).startsWith('not claiming')
  const has = async (day: string | undefined) => (await detailPartitions()).includes(day ?? '')

  await createChecks(account)
  await comesTrue('checks run', async () => (await metric('vedette_runs_recorded_total')) >= 3)
  const days = await seedDetails()

  fillTo(8)
  await sleep(12_000)
  holds(await has(days[0]), 'with 8 % free nothing is dropped')

  fillTo(3)
  await comesTrue('the oldest details are dropped', async () => !(await has(days[0])))
  await comesTrue('there is space again', async () => disk.freePercent() >= 5)
  holds(await has(days[2]), 'the latest details are still there')
  await comesTrue('the metric shows it', async () => (await metric('vedette_disk_low')) === 0)
  holds(await isUp('/readyz'), 'the server is ready')

  // At once, so that PostgreSQL may run out of space: it recovers when the ballast is deleted.
  for (let turn = 1; turn <= 4 && disk.freePercent() > 5; turn++) {
    fillTo(0.4)
    await comesTrue('the server responds', () => isUp('/readyz'))
    await comesTrue('space was freed, or nothing is left to drop', async () => {
      return disk.freePercent() > 5 || !(await has(days[2]))
    })
  }
  await comesTrue('old details are all gone', async () => !(await has(days[2])))
  fillTo(0.4)
  await comesTrue('the agent reports that it claims nothing', claimsNothing)
  await sleep(openClaimMs)
  await comesTrue('its runs are done', async () => (await health()).inFlight === 0)
  const claimed = await metric('vedette_runs_claimed_total')
  await sleep(25_000)
  holds((await metric('vedette_runs_claimed_total')) === claimed, 'no run was claimed in 25 s')
  holds(await isUp('/healthz'), 'the server is alive')

  disk.relieve()
  await comesTrue('with space it claims again', async () => {
    return (await metric('vedette_runs_claimed_total')) > claimed
  })
  await comesTrue('its health shows it', async () => (await health()).status === 'ok')
  await comesTrue('the server is ready', () => isUp('/readyz'))
  const [results] = await ask<{ total: string }>('select count(*) as total from results')
  holds(Number(results?.total) > 0, `today's ${results?.total} results are there`)
}

async function createChecks(account: Account): Promise<void> {
  const { port } = target.address() as AddressInfo
  for (let number = 0; number < 3; number++) {
    await account.call(createUrlMonitor, {
      body: {
        name: `Drill ${number}`,
        frequency: 0,
        frequencyOffset: 10,
        locations: ['eu-west-1'],
        request: { url: `http://127.0.0.1:${port}/` },
      },
    })
  }
}

/** Connects to the embedded PostgreSQL through the socket in its postmaster.pid. */
async function ask<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
  const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] as string
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  const client = new pg.Client({ host, port: 5432, user: 'vedette', password, database: 'vedette' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<R>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Three days of old runs, the oldest first. */
async function seedDetails(): Promise<string[]> {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  const names: string[] = []
  for (const age of [3, 2, 1]) {
    const from = new Date(today - age * dayMs).toISOString()
    const to = new Date(today - (age - 1) * dayMs).toISOString()
    const name = `result_details_${from.slice(0, 10).replaceAll('-', '')}`
    await ask(`create table ${name} partition of result_details for values from ('${from}') to ('${to}')`)
    await ask(
      // Random, because PostgreSQL compresses repetitions.
      `insert into result_details (account_id, check_id, scheduled_at, run_id, attempt, detail)
       select gen_random_uuid(), gen_random_uuid(), $1, gen_random_uuid(), 1,
         (select string_agg(gen_random_uuid()::text, '') from generate_series(1, 3000 + run * 0))
       from generate_series(1, 400) run`,
      [from],
    )
    names.push(name)
  }
  await ask('checkpoint')
  return names
}

async function detailPartitions(): Promise<string[]> {
  const rows = await ask<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'result_details'::regclass",
  )
  return rows.map(({ name }) => name)
}

async function readMetric(baseUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
}

async function health(): Promise<Record<string, unknown>> {
  return (await (await fetch(`http://127.0.0.1:${healthPort}/health`)).json()) as Record<string, unknown>
}

function fillTo(freePercent: number): void {
  disk.fillTo(freePercent)
  console.log(`filled: ${disk.freePercent().toFixed(1)} % are free`)
}

async function comesTrue(what: string, condition: () => Promise<boolean>): Promise<void> {
  await until(what, () => condition().catch(() => false), timeoutMs)
  console.log(`ok: ${what} (${disk.freePercent().toFixed(1)} % are free)`)
}

function holds(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`this does not hold: ${what}`)
  console.log(`ok: ${what}`)
}

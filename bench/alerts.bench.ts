// 10,000 checks that start to fail at once. Two installations, one that decides alerts (ALERTS=on) and one
// that doesn't: the cost of decisions for ingest, in interleaved rounds, while the other one is idle. Then the time
// until a webhook got one message for each check. Server, PostgreSQL, webhook and load share the cores of the machine.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { post } from './api-calls.ts'
import { Closers } from './closers.ts'
import { median } from './load.ts'
import {
  claimAll,
  createLocation,
  createReportedChecks,
  type PrivateLocation,
  printRates,
  type Reported,
  report,
} from './reporting-agent.ts'
import { connectTo, cpuSeconds, freePort, postgresOf, startProgram, startVedette } from './server-process.ts'

const checkCount = Number(process.argv[2] ?? 10_000)
const rounds = 5
const goalSlowdown = 1.2
const goalDeliveryMs = 60_000
const timeoutMs = 5 * 60_000

interface Counts {
  messages: number
  ids: number
  checks: number
  types: Record<string, number>
  lastAt: number
}

interface Installation extends PrivateLocation {
  isAlerting: boolean
  store: pg.Client
}

const closers = new Closers()
const ports = { target: await freePort(), teller: await freePort() }
const webhook = await startProgram('./webhook-target.ts', {
  TARGET_PORT: String(ports.target),
  TELLER_PORT: String(ports.teller),
})
closers.add(() => webhook.stop())

async function ask(order: 'hold' | 'release' | 'begin' | 'read'): Promise<Counts> {
  return (await (await fetch(`http://127.0.0.1:${ports.teller}/${order}`)).json()) as Counts
}

async function install(isAlerting: boolean): Promise<Installation> {
  const vedette = await startVedette({ ALERTS: isAlerting ? 'on' : 'off' })
  closers.add(() => vedette.stop())
  const location = await createLocation(vedette)
  const checkIds = await createReportedChecks(location, checkCount)
  await post(vedette, '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'Bench', url: `http://127.0.0.1:${ports.target}/`, method: 'POST', template },
    // Recoveries only prepare the next round.
    sendRecovery: false,
    subscriptions: checkIds.map((checkId) => ({ checkId })),
  })
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  return { ...location, isAlerting, store }
}

/** A realistic template with a condition: rendering is part of the cost of a message. */
const template = `{"alertType": "{{ALERT_TYPE}}", "checkId": "{{CHECK_ID}}", "title": "{{ALERT_TITLE}}",
  "text": "{{#if CHECK_ERROR_MESSAGE}}{{CHECK_ERROR_MESSAGE}}{{else}}as before{{/if}}", "link": "{{RESULT_LINK}}"}`

/** One run of each check: due now, claimed and reported. Only the report is measured. */
async function runAll(installation: Installation, isFailed: boolean): Promise<Reported> {
  await installation.store.query('update schedule set slot_at = now(), due_at = now()')
  const claimed = await claimAll(installation)
  if (claimed.length !== checkCount) throw new Error(`only ${claimed.length} runs were due`)
  return report(
    installation,
    claimed.map((run, index) => ({ ...run, isFailed, ms: 20 + (index % 97) })),
  )
}

/** Waits for exactly one failure message for each check, and until the servers are idle. Returns the time of the last one. */
async function waitForMessages(): Promise<number> {
  const until = Date.now() + timeoutMs
  let counts = await ask('read')
  while (counts.messages < checkCount && Date.now() < until) {
    await sleep(100)
    counts = await ask('read')
  }
  await waitUntilIdle()
  counts = await ask('read')
  const actual = [counts.messages, counts.ids, counts.checks, counts.types.ALERT_FAILURE]
  if (actual.some((count) => count !== checkCount)) {
    throw new Error(`not each check has one message: ${JSON.stringify(counts)}`)
  }
  return counts.lastAt
}

async function waitUntilIdle(): Promise<void> {
  const pids = () => installations.flatMap(({ vedette }) => [vedette.pid, ...postgresOf(vedette)])
  for (let turn = 0; turn < 60; turn++) {
    const before = cpuSeconds(pids())
    await sleep(500)
    if (cpuSeconds(pids()) - before < 0.04) return
  }
}

interface Burst extends Reported {
  /** From the first report to the last message. */
  deliveredMs: number
}

/** All checks fail, which is measured, and recover. `isHeld`: the webhook responds only when everything is reported. */
async function burst(installation: Installation, isHeld: boolean): Promise<Burst> {
  const { isAlerting } = installation
  await ask('begin')
  if (isHeld) await ask('hold')
  const reported = await runAll(installation, true)
  await ask('release')
  const lastAt = isAlerting ? await waitForMessages() : Date.now()
  await runAll(installation, false)
  await waitUntilIdle()
  return { ...reported, deliveredMs: lastAt - reported.beganAt }
}

const installations: Installation[] = []
try {
  console.log(`creating ${checkCount.toLocaleString('en')} checks in two installations`)
  installations.push(...(await Promise.all([install(true), install(false)])))
  const [on, off] = installations as [Installation, Installation]
  for (const installation of installations) {
    // Warm-up: code compiled, query plans cached, pages in memory, error groups created.
    await runAll(installation, false)
    await burst(installation, false)
  }
  const slowdowns = { decided: [] as number[], sending: [] as number[] }
  const extraSeconds: number[] = []
  const delivered: number[] = []
  for (let round = 0; round < rounds; round++) {
    const ways = [
      { name: 'alerts decided', installation: on, isHeld: true },
      { name: 'no alerts', installation: off, isHeld: false },
      { name: 'alerts decided and sent meanwhile', installation: on, isHeld: false },
    ]
    // Each one is first, second and last in turn.
    const order = [0, 1, 2].map((index) => (index + round) % 3)
    const bursts: Burst[] = []
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const { name, installation, isHeld } = ways[index] as (typeof ways)[0]
      const measured = await burst(installation, isHeld)
      printRates(name, measured)
      bursts[index] = measured
    }
    const [decided, base, sending] = bursts as [Burst, Burst, Burst]
    slowdowns.decided.push(base.perSecond / decided.perSecond)
    extraSeconds.push(checkCount / decided.perSecond - checkCount / base.perSecond)
    slowdowns.sending.push(base.perSecond / sending.perSecond)
    delivered.push(sending.deliveredMs)
  }
  const figures = (values: number[]) => values.map((value) => value.toFixed(2)).join(', ')
  const seconds = delivered.map((ms) => ms / 1000)
  const isMet = median(slowdowns.decided) <= goalSlowdown && Math.max(...delivered) < goalDeliveryMs
  console.log(
    `ingest takes, deciding: ${median(slowdowns.decided).toFixed(2)}× (${figures(slowdowns.decided)})`,
  )
  console.log(
    `  and sending meanwhile: ${median(slowdowns.sending).toFixed(2)}× (${figures(slowdowns.sending)})`,
  )
  console.log(
    `  all decisions together: ${median(extraSeconds).toFixed(1)} s of ingest (${figures(extraSeconds)})`,
  )
  console.log(
    `all messages, after the first report: median ${median(seconds).toFixed(1)} s (${figures(seconds)})`,
  )
  console.log(
    `goal: deciding within ${goalSlowdown.toFixed(2)}× (median of ${rounds}), all messages within ` +
      `${goalDeliveryMs / 1000} s — ${isMet ? 'met' : 'MISSED'}`,
  )
  process.exitCode = isMet ? 0 : 1
} finally {
  await closers.close()
}

// Results recorded per second over HTTP, as agents report them: the result, 2 kB of detail, the mark for its rollup,
// error groups, status. Fresh data directory, no manual ANALYZE; server, PostgreSQL and load on the same two cores.
// Once in an open hour, the usual case, and once in a closed hour, which is rolled up meanwhile.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { median } from './load.ts'
import {
  createLocation,
  createReportedChecks,
  type PrivateLocation,
  printRates,
  type Reported,
  report,
} from './reporting-agent.ts'
import { startVedette } from './server-process.ts'

const secretKey = 'a secret key of this bench only'
const perRound = 30_000
const hourMs = 3_600_000

const vedette = await startVedette({ SECRET_KEY: secretKey, AGENT: 'off' })
const signingKey = Buffer.from(hkdfSync('sha256', secretKey, 'vedette', 'signatures', 32))

/** As the server signs it when it hands out a run. */
function token(location: PrivateLocation, checkId: string, scheduledAt: number): string {
  const lease = {
    laneId: 0,
    leaseId: randomUUID(),
    accountId: vedette.accountId,
    checkId,
    checkType: 'URL',
    runId: randomUUID(),
    attempt: 1,
    scheduledAt,
    location: 'bench',
    queue: location.id,
    source: 'schedule',
    checkSessionId: null,
    testSessionId: null,
    startedAt: scheduledAt,
    retry: null,
    doubleCheck: false,
    runParallel: false,
    parallel: null,
    locations: ['bench'],
  }
  const text = Buffer.from(JSON.stringify(lease)).toString('base64url')
  return `${text}.${createHmac('sha256', signingKey).update(text).digest('base64url')}`
}

function measure(
  location: PrivateLocation,
  checkIds: string[],
  hourStart: number,
  span: number,
): Promise<Reported> {
  const runs = Array.from({ length: perRound }, (_, index) => {
    const scheduledAt = hourStart + Math.floor((index / perRound) * span)
    return {
      token: token(location, checkIds[index % checkIds.length] as string, scheduledAt),
      scheduledAt,
      isFailed: index % 50 === 0,
      ms: 20 + (index % 97),
    }
  })
  return report(location, runs)
}

try {
  const location = await createLocation(vedette)
  console.log('creating 10,000 checks')
  const many = await createReportedChecks(location, Number(process.argv[2] ?? 10_000))
  const few = many.slice(0, 100)
  const openHour = Math.floor(Date.now() / hourMs) * hourMs
  const passed = Math.max(60_000, Date.now() - openHour)
  // Warm-up: code compiled, query plans cached, pages in memory.
  await measure(location, few, openHour - 30 * hourMs, hourMs)
  const rates = { few: [] as number[], many: [] as number[] }
  for (let round = 0; round < 3; round++) {
    for (const [name, ids] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const measured = await measure(location, ids, openHour, passed)
      printRates(`${ids.length.toLocaleString('en')} checks, open hour`, measured)
      rates[name].push(measured.perSecond)
    }
  }
  printRates(
    '10,000 checks, closed hour, with rollups',
    await measure(location, many, openHour - 5 * hourMs, hourMs),
  )
  const [fewRate, manyRate] = [median(rates.few), median(rates.many)]
  const ratio = Math.max(fewRate, manyRate) / Math.min(fewRate, manyRate)
  const isMet = Math.min(fewRate, manyRate) >= 5_000 && ratio <= 1.5
  console.log(
    `median ${fewRate.toFixed(0)}/s of 100 checks, ${manyRate.toFixed(0)}/s of 10,000: ${ratio.toFixed(2)}×`,
  )
  console.log(`goal: 5,000/s, within 1.5× — ${isMet ? 'met' : 'MISSED'}`)
  process.exitCode = isMet ? 0 : 1
} finally {
  await vedette.stop()
}

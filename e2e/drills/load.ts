// Many running checks, and afterwards an audit through the API: planned, executed, skipped and missed runs.
import { pause } from './fleet.ts'
import type { Acknowledged } from './witness.ts'

export interface Api {
  url(): string
  key: string
  accountId: string
}

interface LoadedCheck {
  id: string
  periodMs: number
  /** When it began and ended, as exactly as a client can know. */
  began: [number, number]
  ended: [number, number]
}

/** The shortest period. */
const shortestMs = 10_000
const minuteMs = 60_000

/** URL monitors, each every ten seconds or every minute. */
export async function createChecks(
  api: Api,
  count: number,
  settings: (index: number) => Record<string, unknown>,
  periodMs: typeof shortestMs | typeof minuteMs = shortestMs,
): Promise<LoadedCheck[]> {
  const period =
    periodMs === minuteMs ? { frequency: 1 } : { frequency: 0, frequencyOffset: shortestMs / 1000 }
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const before = Date.now()
      const { id } = (await call(api, 'POST', '/v1/checks/url?autoAssignAlerts=false', {
        name: `Check ${index}`,
        ...period,
        doubleCheck: false,
        ...settings(index),
      })) as { id: string }
      return { id, periodMs, began: [before, Date.now()], ended: [0, 0] } satisfies LoadedCheck
    }),
  )
}

/** Each half a period after one of its slots: a run of a newer slot might still be in progress. */
export async function deactivate(api: Api, checks: LoadedCheck[]): Promise<void> {
  await Promise.all(
    checks.map(async (check) => {
      const { periodMs } = check
      const [last] = (await readResults(api, check.id, 'limit=1')).entries
      if (last !== undefined) {
        const sinceSlot = (Date.now() - last.checkRunId) % periodMs
        await pause((periodMs + periodMs / 2 - sinceSlot) % periodMs)
      }
      const before = Date.now()
      await call(api, 'PUT', `/v1/checks/url/${check.id}`, { activated: false })
      check.ended = [before, Date.now()]
    }),
  )
}

export interface Books {
  expected: number
  executed: number
  skipped: number
  missed: number
  results: number
  /** The faults, as sentences; none is the expected outcome. */
  faults: string[]
}

/** Reads everything over the API and compares it with arithmetic and the witness. */
export async function audit(
  api: Api,
  checks: LoadedCheck[],
  acknowledged: ReadonlyMap<string, Acknowledged>,
  /** How many locations run each slot of a check at once. */
  locationCountOf: (index: number) => number = () => 1,
): Promise<Books> {
  const books: Books = { expected: 0, executed: 0, skipped: 0, missed: 0, results: 0, faults: [] }
  const recorded = new Set<string>()
  for (const [index, check] of checks.entries()) {
    const locationCount = locationCountOf(index)
    const results = await listResults(api, check.id)
    const { totals } = (await call(api, 'GET', `/v1/checks/${check.id}/coverage`)) as Coverage
    const finals = results.filter(({ resultType }) => resultType === 'FINAL')
    for (const { sequenceId, attempts } of results) {
      const key = `${sequenceId} ${attempts}`
      if (recorded.has(key)) books.faults.push(`${check.id}: ${key} is there twice`)
      recorded.add(key)
    }
    const slots = new Set(
      finals.map(({ checkRunId, runLocation }) => `${checkRunId} ${locationCount > 1 ? runLocation : ''}`),
    )
    if (slots.size !== finals.length) books.faults.push(`${check.id}: a slot has two final results`)
    if (totals.executed !== finals.length) {
      books.faults.push(
        `${check.id}: ${totals.executed} executed by coverage, ${finals.length} final results`,
      )
    }
    if (totals.expected !== totals.executed + totals.skipped + totals.missed) {
      books.faults.push(`${check.id}: coverage does not add up: ${JSON.stringify(totals)}`)
    }
    const [fewest, most] = plannedSlots(check, finals[0]?.checkRunId ?? 0)
    if (
      finals.length > 0 &&
      (totals.expected < fewest * locationCount || totals.expected > most * locationCount)
    ) {
      books.faults.push(
        `${check.id}: ${totals.expected} slots expected, ${fewest} to ${most} were planned, each in ${locationCount} locations`,
      )
    }
    books.expected += totals.expected
    books.executed += totals.executed
    books.skipped += totals.skipped
    books.missed += totals.missed
    books.results += results.length
  }
  books.faults.push(...findLost(recorded, acknowledged))
  return books
}

/** Acknowledged results of checks that don't run on a schedule and therefore have no coverage. */
export async function auditUnscheduled(
  api: Api,
  checkIds: string[],
  acknowledged: ReadonlyMap<string, Acknowledged>,
): Promise<string[]> {
  const recorded = new Set<string>()
  for (const id of checkIds)
    for (const { sequenceId, attempts } of await listResults(api, id))
      recorded.add(`${sequenceId} ${attempts}`)
  return findLost(recorded, acknowledged)
}

function findLost(recorded: ReadonlySet<string>, acknowledged: ReadonlyMap<string, Acknowledged>): string[] {
  return [...acknowledged].flatMap(([key, { checkId }]) =>
    recorded.has(key) ? [] : [`${checkId}: ${key} was acknowledged and is lost`],
  )
}

/** Agents claim runs this long before their slots, and execute them though the check has ended meanwhile. */
const claimedAheadMs = 3_000

/** The number of slots between the begin and the end of a check; `anySlot` gives their phase. */
function plannedSlots({ began, ended, periodMs }: LoadedCheck, anySlot: number): [number, number] {
  const upTo = (instant: number) => Math.floor((instant - anySlot) / periodMs)
  return [upTo(ended[0]) - upTo(began[1]), upTo(ended[1] + claimedAheadMs) - upTo(began[0])]
}

interface Coverage {
  totals: { expected: number; executed: number; skipped: number; missed: number }
}

interface Result {
  sequenceId: string
  attempts: number
  checkRunId: number
  runLocation: string
  resultType: string
}

async function listResults(api: Api, checkId: string): Promise<Result[]> {
  const results: Result[] = []
  let nextId: string | null = ''
  while (nextId !== null) {
    const cursor: string = nextId === '' ? '' : `&nextId=${encodeURIComponent(nextId)}`
    const page: ResultPage = await readResults(api, checkId, `limit=100&resultType=ALL${cursor}`)
    results.push(...page.entries)
    nextId = page.nextId
  }
  return results
}

interface ResultPage {
  entries: Result[]
  nextId: string | null
}

async function readResults(api: Api, checkId: string, query: string): Promise<ResultPage> {
  const fields = 'fields=sequenceId,attempts,checkRunId,resultType,runLocation'
  return (await call(api, 'GET', `/v2/check-results/${checkId}?${fields}&${query}`)) as ResultPage
}

export async function call(api: Api, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(api.url() + path, {
    method,
    headers: {
      authorization: `Bearer ${api.key}`,
      'x-service-account': api.accountId,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

// Applies the quotas of accounts to runs. In: runs that would begin. Out: those that a quota allows; a scheduled run beyond it is a
// skipped slot, a requested one an error.
import { ApiError, type CheckType, checkTypeNames, isCodeType } from '@vedette/contracts'
import {
  countRunsOfMinute,
  lockRunCounts,
  noQuotas,
  type Quotas,
  readQuotas,
  setRunCounts,
  sumCodeSeconds,
  sumStoredBytes,
} from '../storage/accounts/quotas.ts'
import type { Pool } from '../storage/core/db.ts'
import type { Client } from '../storage/core/transaction.ts'
import type { Lane } from '../storage/runs/schedule.ts'

const minuteMs = 60_000
const hourMs = 3_600_000
const codeTypes = checkTypeNames.filter(isCodeType)

const minuteOf = (now: number) => Math.floor(now / minuteMs) * minuteMs
const hourOf = (now: number) => Math.floor(now / hourMs) * hourMs

interface Decided {
  /** Ids of lanes whose slot is skipped. */
  over: Set<number>
  /** Ids of lanes of an account whose runs another claim is counting. */
  undecided: Set<number>
}

/** For scheduled runs that would begin now. Retries, and runs that are handed out again, don't count. */
export async function applyQuotas(client: Client, lanes: readonly Lane[], now: number): Promise<Decided> {
  const decided: Decided = { over: new Set(), undecided: new Set() }
  if (!lanes.some(({ hasQuotas }) => hasQuotas)) return decided
  const quotas = await readQuotas(client, [...new Set(lanes.map(({ accountId }) => accountId))])
  const quotasOf = ({ accountId }: Lane) => quotas.get(accountId) ?? noQuotas
  const usedUp = await listUsedUp(client, quotas, lanes, now)
  for (const lane of lanes) {
    if (isCodeType(lane.checkType) && usedUp.has(lane.accountId)) decided.over.add(lane.id)
  }
  const counted = lanes.filter((lane) => !decided.over.has(lane.id) && quotasOf(lane).runsPerMinute !== null)
  if (counted.length === 0) return decided
  const accountIds = [...new Set(counted.map(({ accountId }) => accountId))].sort()
  const counts = await lockRunCounts(client, accountIds, minuteOf(now), { skipLocked: true })
  for (const lane of counted) {
    const runs = counts.get(lane.accountId)
    if (runs === undefined) decided.undecided.add(lane.id)
    else if (runs >= (quotasOf(lane).runsPerMinute ?? 0)) decided.over.add(lane.id)
    else counts.set(lane.accountId, runs + 1)
  }
  await setRunCounts(client, counts, minuteOf(now))
  return decided
}

/** Accounts that have used the code seconds of this hour. Runs in progress are finished, so an hour may have some more. */
async function listUsedUp(
  client: Client,
  quotas: ReadonlyMap<string, Quotas>,
  lanes: readonly Pick<Lane, 'accountId' | 'checkType'>[],
  now: number,
): Promise<Set<string>> {
  const limited = new Set(
    lanes
      .filter(({ accountId, checkType }) => isCodeType(checkType) && limitOf(accountId) !== null)
      .map(({ accountId }) => accountId),
  )
  if (limited.size === 0) return limited
  const used = await sumCodeSeconds(client, [...limited], codeTypes, hourOf(now))
  return new Set([...limited].filter((id) => (used.get(id) ?? 0) >= (limitOf(id) ?? 0)))

  function limitOf(accountId: string): number | null {
    return quotas.get(accountId)?.codeSecondsPerHour ?? null
  }
}

/** For runs on request, all or none: counts them, or returns why they can't be made now. */
export async function takeRuns(
  client: Client,
  accountId: string,
  types: readonly CheckType[],
  now: number,
): Promise<string | null> {
  const { runsPerMinute, codeSecondsPerHour } =
    (await readQuotas(client, [accountId])).get(accountId) ?? noQuotas
  if (codeSecondsPerHour !== null) {
    const lanes = types.map((checkType) => ({ accountId, checkType }))
    const usedUp = await listUsedUp(
      client,
      new Map([[accountId, { ...noQuotas, codeSecondsPerHour }]]),
      lanes,
      now,
    )
    if (usedUp.size > 0)
      return `The quota of this account is ${codeSecondsPerHour} seconds of code runs per hour, which are used up. Try again after ${timeOf(hourOf(now) + hourMs)}, or ask the operator.`
  }
  if (runsPerMinute === null) return null
  const counts = await lockRunCounts(client, [accountId], minuteOf(now), { skipLocked: false })
  const runs = counts.get(accountId) ?? 0
  if (runs + types.length > runsPerMinute) {
    const what = `The quota of this account is ${runsPerMinute} runs per minute; ${runs} were made in this one, and ${types.length} more are requested.`
    return types.length > runsPerMinute
      ? `${what} Request fewer at once, or ask the operator.`
      : `${what} Try again after ${timeOf(minuteOf(now) + minuteMs)}.`
  }
  await setRunCounts(client, new Map([[accountId, runs + types.length]]), minuteOf(now))
  return null
}

export async function requireRuns(
  client: Client,
  accountId: string,
  types: readonly CheckType[],
  now: number,
): Promise<void> {
  const message = await takeRuns(client, accountId, types, now)
  if (message !== null) throw new ApiError('rate_limited', { message })
}

export async function readQuotaUse(pool: Pool, accountId: string, now: number) {
  const quotas = (await readQuotas(pool, [accountId])).get(accountId) ?? noQuotas
  const seconds = await sumCodeSeconds(pool, [accountId], codeTypes, hourOf(now))
  return {
    runsPerMinute: {
      limit: quotas.runsPerMinute,
      used: quotas.runsPerMinute === null ? null : await countRunsOfMinute(pool, accountId, minuteOf(now)),
    },
    codeSecondsPerHour: {
      limit: quotas.codeSecondsPerHour,
      used: Math.round((seconds.get(accountId) ?? 0) * 1000) / 1000,
    },
    artifactBytes: { limit: quotas.artifactBytes, used: await sumStoredBytes(pool, accountId) },
  }
}

/** Before a file of a run is stored. `bytes`: its size, if it is known. */
export async function requireSpace(client: Client, accountId: string, bytes: number): Promise<void> {
  const { artifactBytes } = (await readQuotas(client, [accountId])).get(accountId) ?? noQuotas
  if (artifactBytes === null) return
  const stored = await sumStoredBytes(client, accountId)
  if (stored + bytes <= artifactBytes && stored < artifactBytes) return
  const megabytes = (value: number) => `${(value / 1_000_000).toFixed(1)} MB`
  throw new ApiError('payment_required', {
    message:
      `The quota of this account is ${megabytes(artifactBytes)} of files, and ${megabytes(stored)} are stored. ` +
      'Older files are deleted with their results; the operator can raise the quota.',
    attributes: { quota: 'artifactBytes', limit: artifactBytes, used: stored },
  })
}

function timeOf(instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z')
}

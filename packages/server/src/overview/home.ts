// The home screen of an account: what is wrong now, what didn't run, and what happened in the last day.
import type { Attention, getOverview, ResponseOf } from '@vedette/contracts'
import type { Store } from '../storage/core/db.ts'
import type { CoverageGaps } from '../storage/results/recent-events.ts'
import type { AccountOverview } from './account-overview.ts'
import { type AttentionGroup, groupAttention, needsAttention } from './attention.ts'
import { type OverviewEntry, serializeOverviewCheck } from './overview-entry.ts'
import { listRecent } from './recent.ts'
import { countStates } from './select-checks.ts'

type Home = ResponseOf<typeof getOverview>

const maxGroups = 100
const maxChecks = 100
const maxChecksPerGroup = 20
/** Reading the last runs of more checks takes too long; of the others only the last location is known. */
const maxLocated = 500

export async function readHome(store: Pick<Store, 'db' | 'pool'>, overview: AccountOverview): Promise<Home> {
  const { entries, now, accountId } = overview
  const urgent = entries.filter(needsAttention).sort((a, b) => (a.state.since < b.state.since ? 1 : -1))
  const [runsOf, recent, gaps] = await Promise.all([
    overview.readRuns(urgent.filter(({ state }) => state.state !== 'unknown').slice(0, maxLocated)),
    listRecent(store, accountId, now),
    overview.readGaps(),
  ])
  const groups = groupAttention(urgent, runsOf).slice(0, maxGroups)
  const lastRunAt = Math.max(0, ...entries.map(lastRunOf))
  return {
    at: new Date(now).toISOString(),
    total: entries.length,
    ...countStates(entries),
    lastRunAt: lastRunAt === 0 ? null : new Date(lastRunAt).toISOString(),
    attention: await serializeGroups(overview, groups),
    coverage: coverageOf(entries, gaps),
    recent,
  }
}

function lastRunOf({ facts }: OverviewEntry): number {
  return (facts.heartbeat === null ? facts.lastRunAt : facts.heartbeat.lastPingAt) ?? 0
}

/** Each group shows at least one check, and larger ones as many as fit. */
async function serializeGroups(overview: AccountOverview, groups: AttentionGroup[]): Promise<Attention[]> {
  let left = maxChecks - groups.length
  const shown = groups.map(({ entries }) => {
    const some = entries.slice(0, 1 + Math.min(left, maxChecksPerGroup - 1))
    left -= some.length - 1
    return some
  })
  const runsOf = await overview.readRuns(shown.flat())
  return groups.map(({ entries: _, ...group }, index) => ({
    ...group,
    checks: (shown[index] ?? []).map((entry) => serializeOverviewCheck(entry, runsOf(entry), overview.now)),
  }))
}

function coverageOf(entries: readonly OverviewEntry[], gaps: CoverageGaps): Home['coverage'] {
  const executed = entries.reduce(
    (total, { summary, recent }) => total + (summary?.executed24h ?? 0) + (recent?.executed ?? 0),
    0,
  )
  const { skipped, missed } = gaps
  const expected = executed + skipped + missed
  return { expected, executed, skipped, missed, sentence: missedSentence(gaps, expected) }
}

function missedSentence(
  { missed, missedByAgent, missedByServer }: CoverageGaps,
  expected: number,
): string | null {
  if (missed === 0) return null
  const reasons = [
    ...(missedByAgent > 0 ? [`${grouped(missedByAgent)} because no agent ran them`] : []),
    ...(missedByServer > 0 ? [`${grouped(missedByServer)} because no server was running`] : []),
  ]
  const why = reasons.length === 0 ? '' : `: ${reasons.join(', ')}`
  const were = missed === 1 ? 'was' : 'were'
  return `${grouped(missed)} of ${grouped(expected)} runs ${were} missed in the last 24 hours${why}.`
}

const grouped = (value: number) => value.toLocaleString('en-US')

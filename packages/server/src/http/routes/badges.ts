import { type BadgeStyle, type BadgeTheme, getCheckBadge, getGroupBadge } from '@vedette/contracts'
import { type BadgeRow, findCheckBadge, findGroupBadges } from '../../storage/badges.ts'
import { type BadgeTone, badgeSvg } from '../badge-svg.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'

const recentMs = 2 * 86_400_000

interface BadgeQuery {
  style: BadgeStyle
  theme: BadgeTheme
  responseTime: boolean
}

export function badgeRoutes({ store, clock }: Deps): Mounted[] {
  const wanted = ({ responseTime }: BadgeQuery) => ({
    withResponseTime: responseTime,
    since: clock.now() - recentMs,
  })
  return [
    handle(getCheckBadge, async ({ params, query }) => {
      const row = found(await findCheckBadge(store.pool, params.checkId, wanted(query)))
      return presentBadge(row.name, [row], query)
    }),
    handle(getGroupBadge, async ({ params, query }) => {
      const rows = found(await findGroupBadges(store.pool, params.groupId, wanted(query)))
      // Ids of groups can be counted through: what a group is called stays with its account.
      return presentBadge('checks', rows, query)
    }),
  ]
}

type BadgeState = 'failing' | 'degraded' | 'error' | 'passing' | 'no data' | 'inactive'

/** The worst first. */
const tones: Record<BadgeState, BadgeTone> = {
  failing: 'bad',
  degraded: 'warning',
  error: 'none',
  passing: 'good',
  'no data': 'none',
  inactive: 'none',
}

const worstFirst = Object.keys(tones) as BadgeState[]

function presentBadge(label: string, rows: BadgeRow[], { style, theme }: BadgeQuery): string {
  const states = new Set(rows.map(stateOf))
  const state = worstFirst.find((candidate) => states.has(candidate)) ?? 'no data'
  const slowest = Math.max(-1, ...rows.map(({ responseTime }) => responseTime ?? -1))
  const message = slowest < 0 ? state : `${state} | ${durationText(slowest)}`
  return badgeSvg({ label, message, tone: tones[state], style, theme })
}

function stateOf({ activated, hasFailures, hasErrors, isDegraded }: BadgeRow): BadgeState {
  if (!activated) return 'inactive'
  if (hasFailures === null) return 'no data'
  if (hasFailures) return 'failing'
  // Our own error leaves what was known of the target before.
  return isDegraded ? 'degraded' : hasErrors ? 'error' : 'passing'
}

function durationText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

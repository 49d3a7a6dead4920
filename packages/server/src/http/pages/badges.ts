import {
  type BadgeStyle,
  type BadgeTheme,
  type CheckStateName,
  createGroupBadgeToken,
  dayMs,
  getCheckBadge,
  getGroupBadge,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { publicUrl } from '../../core/public-url.ts'
import { badgeToken, isBadgeToken } from '../../links/badge-token.ts'
import { type BadgeTone, badgeSvg } from '../../look/badge-svg.ts'
import { readCheckStates, type StatedCheck } from '../../states/read-check-states.ts'
import { findCheckBadge, findGroupBadge, readSlowestResponse } from '../../storage/pages/badges.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

const recentMs = 2 * dayMs

interface BadgeQuery {
  style: BadgeStyle
  theme: BadgeTheme
  responseTime: boolean
}

export function badgeRoutes({ store: { pool }, vault, config, clock }: Deps): Mounted[] {
  const badgeOf = async (label: string, checks: StatedCheck[], query: BadgeQuery) => {
    const ids = checks.map(({ row }) => row.id)
    const slowest = query.responseTime ? await readSlowestResponse(pool, ids, clock.now() - recentMs) : null
    return renderBadge(label, worstOf(checks), slowest, query)
  }
  return [
    handle(getCheckBadge, async ({ params: { checkId }, query }) => {
      const name = orNotFound(await findCheckBadge(pool, checkId))
      return badgeOf(name, await readCheckStates(pool, { checkId }, clock.now()), query)
    }),
    handle(getGroupBadge, async ({ params: { groupId }, query }) => {
      const group = orNotFound(await findGroupBadge(pool, groupId))
      const isOpen = group.isAllowed || isBadgeToken(vault.sign, group, query.token ?? '')
      const { name } = orNotFound(isOpen ? group : null)
      return badgeOf(name, await readCheckStates(pool, { groupId }, clock.now()), query)
    }),
    handle(createGroupBadgeToken, async ({ account, params: { groupId } }) => {
      const group = orNotFound(await findGroupBadge(pool, groupId, account.id))
      const token = badgeToken(vault.sign, group)
      return { token, url: `${publicUrl(config)}/v1/badges/groups/${groupId}?token=${token}` }
    }),
  ]
}

const tones = {
  failing: 'bad',
  degraded: 'warning',
  unknown: 'none',
  passing: 'good',
  maintenance: 'none',
  inactive: 'none',
} satisfies Record<CheckStateName, BadgeTone>

/** A group shows its worst state. Unknown comes before passing: a check that doesn't run must not be hidden by others. */
const worstFirst = ['failing', 'degraded', 'unknown', 'passing', 'maintenance', 'inactive'] as const

function worstOf(checks: readonly StatedCheck[]): CheckStateName {
  const states = new Set(checks.map(({ state }) => state.state))
  return worstFirst.find((state) => states.has(state)) ?? 'unknown'
}

function renderBadge(
  label: string,
  state: CheckStateName,
  responseTime: number | null,
  { style, theme }: BadgeQuery,
): string {
  const message = responseTime === null ? state : `${state} | ${durationText(responseTime)}`
  return badgeSvg({ label, message, tone: tones[state], style, theme })
}

function durationText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

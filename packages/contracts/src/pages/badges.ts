import { z } from 'zod'
import { SerialId, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const badgeStyles = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const
export const badgeThemes = ['light', 'dark', 'default'] as const

export type BadgeStyle = (typeof badgeStyles)[number]
export type BadgeTheme = (typeof badgeThemes)[number]

const shared = {
  method: 'GET',
  tag: 'Badges',
  description: 'Available while the account allows badges (setting allowBadges).',
  access: 'public',
  query: z.object({
    style: z.enum(badgeStyles).default('flat'),
    theme: z.enum(badgeThemes).default('default'),
    responseTime: z.boolean().default(false).describe('Whether the last response time is shown'),
  }),
  status: 200,
  response: z.string(),
  contentType: 'image/svg+xml; charset=utf-8',
  // Image proxies of code hosts cache pictures as long as they are allowed to.
  headers: {
    'cache-control': 'public, max-age=60',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  },
} as const

export const getCheckBadge = route({
  ...shared,
  path: '/v1/badges/checks/{checkId}',
  summary: 'The status of a check as a picture',
  params: z.object({ checkId: Uuid.toLowerCase() }),
})

export const getGroupBadge = route({
  ...shared,
  path: '/v1/badges/groups/{groupId}',
  summary: 'The status of the worst check of a group as a picture',
  description:
    'Available while the account allows badges (setting allowBadges), or with the token of the group.',
  params: z.object({ groupId: SerialId }),
  query: shared.query.extend({ token: z.string().max(100).optional() }),
})

export const GroupBadgeToken = z
  .object({
    token: z.string().describe('Opens the badge of this group, whether or not the account allows badges'),
    url: z.string().meta({ format: 'uri' }).describe('The badge'),
  })
  .meta({ id: 'GroupBadgeToken' })

export const createGroupBadgeToken = route({
  method: 'POST',
  path: '/v1/check-groups/{groupId}/badge-token',
  tag: 'Badges',
  summary: 'Create the token of the badge of a group',
  description: 'The same token each time, until `vedette links revoke` ends it.',
  access: 'READ_WRITE',
  params: z.object({ groupId: SerialId }),
  status: 201,
  response: GroupBadgeToken,
})

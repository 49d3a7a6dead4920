// Tokens that open the badge of one group. Nothing is stored per token; the account's link epoch revokes them.
import { isSame, type Sign } from './subscription-link.ts'

export interface BadgeOwner {
  accountId: string
  groupId: number
  epoch: number
}

/** 132 bits of the HMAC. */
export function badgeToken(sign: Sign, { accountId, groupId, epoch }: BadgeOwner): string {
  return sign(`group badge, epoch ${epoch}: ${accountId} ${groupId}`).slice(0, 22)
}

export function isBadgeToken(sign: Sign, owner: BadgeOwner, sent: string): boolean {
  return isSame(sent, badgeToken(sign, owner))
}

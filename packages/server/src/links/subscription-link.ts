// Signed links in mails to subscribers. Nothing is stored per link. Each is bound to one subscription and one purpose, so it
// can't be used for another.
import { timingSafeEqual } from 'node:crypto'

type LinkPurpose = 'verify' | 'manage' | 'unsubscribe'
export type Sign = (text: string) => string

/** Slugs of status pages don't contain underscores, so these paths can't collide with a page. */
export const linkPaths = {
  verify: '/s/_/verify',
  manage: '/s/_/manage',
  unsubscribe: '/s/_/unsubscribe',
} as const satisfies Record<LinkPurpose, string>

export function subscriptionLink(
  context: { publicUrl: string; sign: Sign },
  purpose: LinkPurpose,
  subscriptionId: string,
): string {
  const signature = context.sign(signedText(purpose, subscriptionId))
  return `${context.publicUrl}${linkPaths[purpose]}/${subscriptionId}.${signature}`
}

/** The id of the subscription; null if this installation didn't sign the token for this purpose. */
export function readLinkToken(sign: Sign, purpose: LinkPurpose, token: string): string | null {
  const { id, signature } = /^(?<id>[0-9a-f-]{36})\.(?<signature>[\w-]{43})$/.exec(token)?.groups ?? {}
  if (id === undefined || signature === undefined) return null
  return isSame(signature, sign(signedText(purpose, id))) ? id : null
}

export function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function signedText(purpose: LinkPurpose, subscriptionId: string): string {
  return `status page subscription: ${purpose} ${subscriptionId}`
}

export function statusPageUrl(publicUrl: string, slug: string): string {
  return `${publicUrl}/s/${slug}`
}

// The links in mails to subscribers: whoever holds one was sent it. Signed, so no column keeps them; bound to one
// subscription and one purpose, so none of them serves as another.
import { timingSafeEqual } from 'node:crypto'

type LinkPurpose = 'verify' | 'unsubscribe'
export type Sign = (text: string) => string

/** No slug of a status page holds an underscore: what lies under it can't collide with a page. */
export const linkPaths = {
  verify: '/status-pages/_/verify',
  unsubscribe: '/status-pages/_/unsubscribe',
} as const satisfies Record<LinkPurpose, string>

export function subscriptionLink(
  context: { publicUrl: string; sign: Sign },
  purpose: LinkPurpose,
  subscriptionId: string,
): string {
  const signature = context.sign(signedText(purpose, subscriptionId))
  return `${context.publicUrl}${linkPaths[purpose]}/${subscriptionId}.${signature}`
}

/** The subscription that the token of a link names; null for anything that this installation did not sign for that. */
export function readLinkToken(sign: Sign, purpose: LinkPurpose, token: string): string | null {
  const { id, signature } = /^(?<id>[0-9a-f-]{36})\.(?<signature>[\w-]{43})$/.exec(token)?.groups ?? {}
  if (id === undefined || signature === undefined) return null
  return isSame(signature, sign(signedText(purpose, id))) ? id : null
}

export function isSame(shown: string, expected: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function signedText(purpose: LinkPurpose, subscriptionId: string): string {
  return `status page subscription: ${purpose} ${subscriptionId}`
}

/** Where a status page is found. */
export function statusPageUrl(publicUrl: string, slug: string): string {
  return `${publicUrl}/status-pages/${slug}`
}

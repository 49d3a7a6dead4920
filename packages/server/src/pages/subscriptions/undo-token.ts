// Lets an unsubscribed reader undo it for a day. The token contains the signed subscription, because its row is deleted.
import { dayMs, StatusPageSubscription } from '@vedette/contracts'
import { z } from 'zod'
import { isSame, type Sign } from '../../links/subscription-link.ts'
import type { RemovedSubscription } from '../../storage/pages/status-page-subscriptions.ts'

const validMs = dayMs

export function undoToken(sign: Sign, removed: RemovedSubscription, now: number): string {
  const { id, account_id, status_page_id, type, address, status, service_ids } = removed
  const content: z.input<typeof UndoContent> = {
    removed: { id, account_id, status_page_id, type, address, status, service_ids },
    expiresAt: now + validMs,
  }
  const text = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${text}.${sign(signedText(text))}`
}

/** Null if this installation didn't sign the token, or after a day. */
export function readUndoToken(sign: Sign, token: string, now: number): RemovedSubscription | null {
  const [text = '', signature = ''] = token.split('.')
  if (!isSame(signature, sign(signedText(text)))) return null
  const { removed, expiresAt } = UndoContent.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return expiresAt > now ? removed : null
}

const UndoContent = z.object({
  removed: z.object({
    id: z.string(),
    account_id: z.string(),
    status_page_id: z.string(),
    type: StatusPageSubscription.shape.type,
    address: z.string(),
    status: StatusPageSubscription.shape.status,
    // Absent in tokens of earlier releases.
    service_ids: z.array(z.string()).nullable().default(null),
  }),
  expiresAt: z.number(),
})

function signedText(text: string): string {
  return `status page subscription: undo ${text}`
}

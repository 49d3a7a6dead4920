// What an unsubscribed reader may take back for a day: the subscription itself, signed, for its row is gone.
import { isSame, type Sign } from '../links/subscription-link.ts'
import type { RemovedSubscription } from '../storage/pages/status-page-subscriptions.ts'

const validMs = 86_400_000

export function undoToken(sign: Sign, removed: RemovedSubscription, now: number): string {
  const { id, account_id, status_page_id, type, address, status } = removed
  const content: UndoContent = {
    removed: { id, account_id, status_page_id, type, address, status },
    expiresAt: now + validMs,
  }
  const text = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `${text}.${sign(signedText(text))}`
}

/** Null for what this installation did not sign, and a day later. */
export function readUndoToken(sign: Sign, token: string, now: number): RemovedSubscription | null {
  const [text = '', signature = ''] = token.split('.')
  if (!isSame(signature, sign(signedText(text)))) return null
  const { removed, expiresAt } = JSON.parse(Buffer.from(text, 'base64url').toString()) as UndoContent
  return expiresAt > now ? removed : null
}

interface UndoContent {
  removed: RemovedSubscription
  expiresAt: number
}

function signedText(text: string): string {
  return `status page subscription: undo ${text}`
}

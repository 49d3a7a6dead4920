// What makes a mail out of a row of the outbox: pure, and when it is sent, not when it is decided.
import type { Mail } from '../channels/transport/smtp.ts'

export interface MailContext {
  publicUrl: string
  /** Proves later that this installation made a link. */
  sign: (text: string) => string
}

export interface MailToRender<Facts> {
  id: string
  recipient: string
  facts: Facts
}

export type MailRenderer<Facts> = (mail: MailToRender<Facts>, context: MailContext) => Mail

// Mail, through the operator's server. Mails are tried anew from the outbox: here each is sent once, or not.
import { createTransport } from 'nodemailer'
import { openSemaphore } from '../../../core/semaphore.ts'
import { DeliveryError } from './delivery-error.ts'
import { MailBackoff } from './mail-backoff.ts'
import { mailFailure } from './mail-failure.ts'

export interface Mail {
  /** One address, without a name. */
  to: string
  subject: string
  text: string
  html: string
  /** Without brackets; the same however often it is sent. The sender's domain is added where there is none. */
  messageId: string
  headers?: Record<string, string>
}

export interface Smtp {
  /** What the mail server said; throws a DeliveryError. Once it is being sent, `signal` stops nothing. */
  send(mail: Mail, signal?: AbortSignal): Promise<string>
  /** How long the mail server is spared after it failed; 0: it isn't. */
  pauseLeftMs(): number
  close(): void
}

export interface SmtpOptions {
  /** SMTP_URL; may hold user and password, and nodemailer's options as its query. */
  url: string | undefined
  from: string
}

const connections = 5
const longestWaitMs = 15_000
const tooSlow = `The mail server is too slow: no connection became free within ${longestWaitMs / 1000} s.`
const outOfTime = 'The email was not sent, because the delivery ran out of time.'

export function openSmtp({ url, from }: SmtpOptions): Smtp {
  if (url === undefined) return unset
  const semaphore = openSemaphore(connections, longestWaitMs)
  const backoff = new MailBackoff()
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    // Once more where a kept connection turns out to be closed before anything of the mail was sent.
    maxRequeues: 1,
    idleTimeout: 30_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail, signal) {
      const release = await semaphore.acquire()
      if (release === null) throw new DeliveryError(tooSlow, { permanent: false })
      try {
        if (signal?.aborted) throw new DeliveryError(outOfTime, { permanent: false })
        const send = () => transport.sendMail(envelopeOf(mail, from))
        const { response } = await backoff.run(mail.to, send, (error) => mailFailure(error, url))
        return response
      } finally {
        release()
      }
    },
    pauseLeftMs: () => backoff.leftMs(),
    close: () => transport.close(),
  }
}

function envelopeOf({ to, subject, text, html, messageId, headers }: Mail, from: string) {
  const id = messageId.includes('@') ? messageId : `${messageId}@${domainOf(from)}`
  return {
    from,
    // Not a text: that could name several.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}>`,
    headers: {
      // No answers by absence notices, please.
      'Auto-Submitted': 'auto-generated',
      'X-Vedette-Id': messageId.replace(/@.*$/, ''),
      ...headers,
    },
  }
}

function domainOf(from: string): string {
  return /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost.local'
}

const unset: Smtp = {
  async send() {
    throw new DeliveryError('No mail server is set up. Ask the operator to set SMTP_URL.', {
      permanent: true,
    })
  },
  pauseLeftMs: () => 0,
  close() {},
}

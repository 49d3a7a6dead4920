// Sends email through the operator's server, once per call; the outbox retries.
import { createRequire } from 'node:module'
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
  /** Without brackets; the same in every attempt. The sender's domain is added if it has none. */
  messageId: string
  headers?: Record<string, string>
}

export interface Smtp {
  /** Returns the response of the mail server; throws a DeliveryError. `signal` has no effect once sending has started. */
  send(mail: Mail, signal?: AbortSignal): Promise<string>
  /** Remaining backoff after a failure of the mail server; 0 if there is none. */
  pauseLeftMs(): number
  close(): void
}

export interface SmtpOptions {
  /** SMTP_URL, with optional credentials, and options of nodemailer in the query. */
  url: string | undefined
  from: string
}

/** Only if email is set up: it takes 6 MB. */
const require = createRequire(import.meta.url)
const mailer = (): typeof import('nodemailer') => require('nodemailer')

const connections = 5
const longestWaitMs = 15_000
const tooSlow = `The mail server is too slow: no connection became free within ${longestWaitMs / 1000} s.`
const outOfTime = 'The email was not sent, because the delivery ran out of time.'

export function openSmtp({ url, from }: SmtpOptions): Smtp {
  if (url === undefined) return unset
  const semaphore = openSemaphore(connections, longestWaitMs)
  const backoff = new MailBackoff()
  const transport = mailer().createTransport({
    url,
    pool: true,
    maxConnections: connections,
    // Retry once if a pooled connection was closed before anything was sent.
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

/** Connects and signs in, without sending anything. Null: that works; otherwise what is wrong. */
export async function verifySmtp(url: string): Promise<string | null> {
  const transport = mailer().createTransport({
    url,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 5_000,
  })
  try {
    await transport.verify()
    return null
  } catch (error) {
    return mailFailure(error, url).error.message
  } finally {
    transport.close()
  }
}

function envelopeOf({ to, subject, text, html, messageId, headers }: Mail, from: string) {
  const id = messageId.includes('@') ? messageId : `${messageId}@${domainOf(from)}`
  return {
    from,
    // A string could contain several addresses.
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}>`,
    headers: {
      // Suppresses out-of-office replies.
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

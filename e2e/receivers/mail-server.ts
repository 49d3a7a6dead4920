// An SMTP server that parses the mails it accepts. Stories can make it misbehave.
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { type Listener, listen } from '../target/listen.ts'

export interface ReceivedMail {
  from: string
  to: string
  subject: string
  text: string
  html: string
  /** Without brackets. */
  messageId: string
  /** By name in lower case. */
  headers: Record<string, string>
}

/** `hold`: the mail is read, and no reply comes. A number: refused with that code. */
type MailMood = 'hold' | 451 | 550

export class MailServer {
  /** Accepted, and acknowledged to the sender. */
  readonly mails: ReceivedMail[] = []
  readonly faults: string[] = []
  /** Mails that were read and got no reply. */
  readonly held: ReceivedMail[] = []
  /** By address: mailboxes with their own behavior. */
  readonly behaviors = new Map<string, MailMood>()
  /** The behavior of all other mailboxes. */
  behavior: MailMood | null = null
  readonly from = 'Vedette <alerts@vedette.test>'
  #listener: Listener | null = null

  static async open(): Promise<MailServer> {
    const server = new MailServer()
    server.#listener = await listen(() => server.#make().server)
    return server
  }

  get settings(): Record<string, string> {
    return { SMTP_URL: `smtp://127.0.0.1:${this.#listener?.port}`, SMTP_FROM: this.from }
  }

  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.to === address)
  }

  /** Stops listening. The port stays reserved, so that it can listen again. */
  async shut(): Promise<void> {
    await this.#listener?.close()
  }

  async reopen(): Promise<void> {
    await this.#listener?.open()
  }

  #make(): SMTPServer {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: ({ address }, _, done) => {
        const behavior = this.#moodOf(address)
        done(typeof behavior === 'number' ? refusal(behavior) : null)
      },
      onData: (stream, session, done) => {
        this.#take(stream, session).then(
          (isTaken) => isTaken && done(null, 'queued'),
          (error) => {
            this.faults.push(String(error))
            done(refusal(550))
          },
        )
      },
    })
    // Aborted connections are up to the sender.
    server.on('error', () => undefined)
    return server
  }

  #moodOf(address: string): MailMood | null {
    return this.behaviors.get(address) ?? this.behavior
  }

  async #take(stream: AsyncIterable<Buffer>, session: SMTPServerSession): Promise<boolean> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    const mail = readMail(await PostalMime.parse(Buffer.concat(chunks)), session, this.from)
    if (this.#moodOf(mail.to) === 'hold') {
      this.held.push(mail)
      return false
    }
    this.mails.push(mail)
    return true
  }
}

function readMail(email: Email, { envelope }: SMTPServerSession, from: string): ReceivedMail {
  const recipients = envelope.rcptTo.map(({ address }) => address)
  const [to] = email.to ?? []
  const fields = email.headers.map(({ key, value }): [string, string] => [key, value])
  const headers = Object.fromEntries(fields)
  const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  demand(recipients.length === 1 && email.to?.length === 1, 'one recipient')
  demand(to?.address === recipients[0], 'the recipient of the envelope')
  demand(!email.cc?.length && !email.bcc?.length, 'no further recipients')
  demand(`${email.from?.name} <${email.from?.address}>` === from, `from ${from}`)
  demand(sender === email.from?.address, 'the sender of the envelope')
  demand(!Number.isNaN(Date.parse(headers.date ?? '')), 'a date')
  demand(/^<[^\s<>@]+@[^\s<>@]+>$/.test(email.messageId ?? ''), 'a message id')
  demand(new Set(fields.map(([key]) => key)).size === fields.length, 'each header once')
  demand(headers['auto-submitted'] === 'auto-generated', 'to be marked as automatic')
  const { subject = '', text = '', html = '' } = email
  demand(subject.trim() !== '' && text.trim() !== '' && html.trim() !== '', 'a subject, a text and HTML')
  demand(/^multipart\/alternative/.test(headers['content-type'] ?? ''), 'text and HTML as alternatives')
  demand(!/<script|javascript:/i.test(html), 'no scripts')
  return {
    from: sender,
    to: recipients[0] as string,
    subject,
    text,
    html,
    messageId: (email.messageId as string).slice(1, -1),
    headers,
  }

  function demand(holds: boolean, words: string): void {
    if (!holds) throw new Error(`a mail must have ${words}: ${JSON.stringify({ recipients, headers })}`)
  }
}

function refusal(responseCode: number): Error {
  const words = responseCode === 550 ? 'No such user here' : 'Try again later'
  return Object.assign(new Error(words), { responseCode })
}

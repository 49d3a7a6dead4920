// When a mail server is tried again. It is asked by one mail at a time while it fails, with growing pauses; the other mails wait
// without being sent. A mailbox that is refused for now pauses itself only.
import { DeliveryError } from './delivery-error.ts'

const delaysMs = [5_000, 10_000, 20_000, 30_000]
/** So many mails to one mailbox in a row are tried before it pauses. */
const triesOfMailbox = 3
/** So many mailboxes refused in a row, and none served: it isn't about the mailboxes. */
const mailboxesOfServer = 3
const maxMailboxes = 10_000

export interface MailFailure {
  error: DeliveryError
  /** Connection, access or the server as a whole; otherwise it is about this mail. */
  isOfServer: boolean
}

class Pause {
  failures = 0
  until = 0
  reason = ''
  probe: Promise<unknown> | null = null
  readonly tries: number
  constructor(tries: number) {
    this.tries = tries
  }

  get isFailing(): boolean {
    return this.failures >= this.tries
  }

  /** A mail that was begun before the pause doesn't lengthen it. */
  fail(beganAt: number, now: number, reason: string): void {
    this.reason = reason
    if (beganAt < this.until && this.isFailing) return
    this.failures += 1
    if (!this.isFailing) return
    this.until = now + (delaysMs[Math.min(this.failures - this.tries, delaysMs.length - 1)] as number)
  }

  succeed(): void {
    this.failures = 0
    this.until = 0
  }
}

export class MailBackoff {
  readonly #server = new Pause(1)
  readonly #mailboxes = new Map<string, Pause>()
  readonly #refused = new Set<string>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How long no mail at all is sent; 0: none of it. */
  leftMs(): number {
    return Math.max(0, this.#server.until - this.#now())
  }

  /** Throws what `send` throws, or the last reason without sending while there is a pause. */
  async run<T>(to: string, send: () => Promise<T>, failureOf: (cause: unknown) => MailFailure): Promise<T> {
    const mailbox = this.#mailboxOf(to)
    const pauses = [this.#server, mailbox]
    for (let probe = this.#probeOf(pauses); probe !== null; probe = this.#probeOf(pauses)) await probe
    // From here to the marks nothing is awaited: two mails can't both be the one that finds out.
    const beganAt = this.#now()
    const sending = send()
    const settled = sending.catch(() => undefined)
    const probed = pauses.filter((pause) => pause.isFailing)
    for (const pause of probed) pause.probe = settled
    try {
      const result = await sending
      this.#server.succeed()
      this.#mailboxes.delete(to)
      this.#refused.clear()
      return result
    } catch (cause) {
      throw this.#record(to, mailbox, beganAt, failureOf(cause))
    } finally {
      for (const pause of probed) pause.probe = null
    }
  }

  /** While something fails, one mail at a time finds out whether it still does: that is to be waited for. */
  #probeOf(pauses: Pause[]): Promise<unknown> | null {
    for (const pause of pauses) {
      if (!pause.isFailing) continue
      const left = pause.until - this.#now()
      if (left > 0) throw postponed(pause.reason, left)
      if (pause.probe !== null) return pause.probe
    }
    return null
  }

  #record(to: string, mailbox: Pause, beganAt: number, { error, isOfServer }: MailFailure): DeliveryError {
    const now = this.#now()
    if (error.permanent) {
      // The server works, and said no for good to this one.
      this.#server.succeed()
      this.#refused.clear()
      return error
    }
    if (!isOfServer) {
      mailbox.fail(beganAt, now, error.message)
      this.#refused.add(to)
    }
    if (isOfServer || this.#server.isFailing || this.#refused.size >= mailboxesOfServer)
      this.#server.fail(beganAt, now, error.message)
    const left = Math.max(this.#server.until, mailbox.until) - now
    return left > 0 ? postponed(error.message, left, false) : error
  }

  #mailboxOf(to: string): Pause {
    const known = this.#mailboxes.get(to) ?? new Pause(triesOfMailbox)
    if (this.#mailboxes.size >= maxMailboxes) this.#mailboxes.clear()
    this.#mailboxes.set(to, known)
    return known
  }
}

function postponed(reason: string, pauseMs: number, isUntried = true): DeliveryError {
  return new DeliveryError(reason, { permanent: false, pauseMs, isUntried })
}

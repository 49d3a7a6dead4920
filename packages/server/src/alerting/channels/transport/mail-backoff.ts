// Backoff for the mail server. While it fails, one email at a time probes it, with growing pauses; the others wait without being
// sent. A mailbox with transient refusals pauses only itself.
import { DeliveryError } from './delivery-error.ts'

const delaysMs = [5_000, 10_000, 20_000]
const longestDelayMs = 30_000
/** Consecutive refusals before a mailbox pauses. */
const triesOfMailbox = 3
/** Consecutively refused mailboxes after which the server counts as failing. */
const mailboxesOfServer = 3
const maxMailboxes = 10_000

export interface MailFailure {
  error: DeliveryError
  /** Concerns the connection, the credentials or the server; otherwise only this email. */
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

  /** An email that was started before the pause doesn't extend it. */
  fail(beganAt: number, now: number, reason: string): void {
    this.reason = reason
    if (beganAt < this.until && this.isFailing) return
    this.failures += 1
    if (!this.isFailing) return
    this.until = now + (delaysMs[this.failures - this.tries] ?? longestDelayMs)
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

  /** Time until emails are sent again; 0 if the server isn't paused. */
  leftMs(): number {
    return Math.max(0, this.#server.until - this.#now())
  }

  /** Throws the failure of `send`; during a pause, throws the last reason without sending. */
  async run<T>(to: string, send: () => Promise<T>, failureOf: (cause: unknown) => MailFailure): Promise<T> {
    const mailbox = this.#mailboxOf(to)
    const pauses = [this.#server, mailbox]
    for (let probe = this.#probeOf(pauses); probe !== null; probe = this.#probeOf(pauses)) await probe
    // No await from here until the probes are set: only one email may be the probe.
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

  /** The email that currently probes a failing server or mailbox; the others wait for it. */
  #probeOf(pauses: Pause[]): Promise<unknown> | null {
    for (const pause of pauses) {
      if (!pause.isFailing) continue
      const left = pause.until - this.#now()
      if (left > 0) throw postponement(pause.reason, left)
      if (pause.probe !== null) return pause.probe
    }
    return null
  }

  #record(to: string, mailbox: Pause, beganAt: number, { error, isOfServer }: MailFailure): DeliveryError {
    const now = this.#now()
    if (error.permanent) {
      // The server works: it refused this email for good.
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
    return left > 0 ? postponement(error.message, left, false) : error
  }

  #mailboxOf(to: string): Pause {
    const known = this.#mailboxes.get(to) ?? new Pause(triesOfMailbox)
    if (this.#mailboxes.size >= maxMailboxes) this.#mailboxes.clear()
    this.#mailboxes.set(to, known)
    return known
  }
}

function postponement(reason: string, pauseMs: number, isUntried = true): DeliveryError {
  return new DeliveryError(reason, { permanent: false, pauseMs, isUntried })
}

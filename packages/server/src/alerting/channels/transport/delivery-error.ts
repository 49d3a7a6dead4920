/** The channel didn't accept the message. Permanent: a retry would be refused again. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'
  readonly permanent: boolean
  /** The pause that the channel requested. */
  readonly retryAfterMs: number | null
  readonly rateLimited: boolean
  /** Overrides the usual delay before the next attempt. */
  readonly pauseMs: number | null
  /** The message wasn't attempted, because its mail server or mailbox is in backoff. */
  readonly isUntried: boolean

  constructor(message: string, options: DeliveryErrorOptions) {
    super(message, { cause: options.cause })
    this.permanent = options.permanent
    this.retryAfterMs = options.retryAfterMs ?? null
    this.rateLimited = options.rateLimited ?? false
    this.pauseMs = options.pauseMs ?? null
    this.isUntried = options.isUntried ?? false
  }
}

interface DeliveryErrorOptions {
  permanent: boolean
  retryAfterMs?: number
  rateLimited?: boolean
  pauseMs?: number
  isUntried?: boolean
  cause?: unknown
}

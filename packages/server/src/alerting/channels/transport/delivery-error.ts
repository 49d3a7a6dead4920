/** The channel did not take it. Permanent: the same again will be refused again. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'
  readonly permanent: boolean
  /** The channel asked for that long a pause. */
  readonly retryAfterMs: number | null
  /** Too many messages, says the channel. */
  readonly rateLimited: boolean

  /** When the same is to be tried again, however often it was tried; null: after the usual delay. */
  readonly pauseMs: number | null
  /** It wasn't even sent: what it would have been sent to is being spared. */
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

/** The channel did not take it. Permanent: the same again will be refused again. */
export class DeliveryError extends Error {
  override name = 'DeliveryError'
  readonly permanent: boolean
  /** The channel asked for that long a pause. */
  readonly retryAfterMs: number | null
  /** Too many messages, says the channel. */
  readonly rateLimited: boolean

  constructor(message: string, options: DeliveryErrorOptions) {
    super(message, { cause: options.cause })
    this.permanent = options.permanent
    this.retryAfterMs = options.retryAfterMs ?? null
    this.rateLimited = options.rateLimited ?? false
  }
}

interface DeliveryErrorOptions {
  permanent: boolean
  retryAfterMs?: number
  rateLimited?: boolean
  cause?: unknown
}

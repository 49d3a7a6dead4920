import type { Failure } from '@vedette/contracts'

/** The suite is wrong, or can't be run; the message is for its owner. */
export class SuiteError extends Error {
  override name = 'SuiteError'
  readonly kind: Failure['kind']

  constructor(message: string, { kind = 'script', cause }: { kind?: Failure['kind']; cause?: unknown } = {}) {
    super(message, { cause })
    this.kind = kind
  }
}

import type { Failure } from '@vedette/contracts'

/** The suite could not be run, and its owner is told why. */
export class SuiteFailure extends Error {
  override name = 'SuiteFailure'
  readonly kind: Failure['kind']

  constructor(kind: Failure['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

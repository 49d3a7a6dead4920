// Errors of suites; their messages are for the owner of the suite.
import type { Failure } from '@vedette/contracts'

/** The suite itself is wrong. */
export class BundleError extends Error {
  override name = 'BundleError'
}

export function entryError(path: string, why: string): BundleError {
  const shown = JSON.stringify(path.slice(0, 200))
  return new BundleError(`The bundle's entry ${shown} ${why}. Correct the archive and upload it again.`)
}

/** The suite can't be run. */
export class SuiteFailure extends Error {
  override name = 'SuiteFailure'
  readonly kind: Failure['kind']

  constructor(kind: Failure['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

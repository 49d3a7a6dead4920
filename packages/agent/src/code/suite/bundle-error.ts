/** Something is wrong with the suite itself; the message is for its owner. */
export class BundleError extends Error {
  override name = 'BundleError'
}

export function entryError(path: string, why: string): BundleError {
  const shown = JSON.stringify(path.slice(0, 200))
  return new BundleError(`The bundle's entry ${shown} ${why}. Correct the archive and upload it again.`)
}

/** Something is wrong with the suite itself; the message is for its owner. */
export class BundleError extends Error {
  override name = 'BundleError'
}

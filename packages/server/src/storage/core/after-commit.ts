// Callbacks that run once a transaction is committed.

const afterCommits = new WeakMap<object, (() => void)[]>()

/**
 * Runs `work` once the transaction is committed, so not when it is rolled back or retried: counters count each change
 * once. On a connection without a transaction it runs at once.
 */
export function afterCommit(client: object, work: () => void): void {
  const waiting = afterCommits.get(client)
  if (waiting === undefined) work()
  else waiting.push(work)
}

/** For code that begins transactions: returns a function that runs the callbacks of this one. */
export function collectAfterCommit(transaction: object): () => void {
  const waiting: (() => void)[] = []
  afterCommits.set(transaction, waiting)
  return () => {
    for (const work of waiting) work()
  }
}

/** Lets another object stand for the same transaction. */
export function shareAfterCommit(transaction: object, other: object): void {
  const waiting = afterCommits.get(transaction)
  if (waiting !== undefined) afterCommits.set(other, waiting)
}

/** For connections of a pool: they are reused, perhaps without a transaction. */
export function forgetAfterCommit(transaction: object): void {
  afterCommits.delete(transaction)
}

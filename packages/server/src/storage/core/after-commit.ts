// What is done once a transaction is committed, and only then.

const afterCommits = new WeakMap<object, (() => void)[]>()

/**
 * Runs `work` once the transaction is committed, not when it is rolled back or begun anew: for counters and the like. On a
 * connection without a transaction it runs at once.
 */
export function afterCommit(client: object, work: () => void): void {
  const waiting = afterCommits.get(client)
  if (waiting === undefined) work()
  else waiting.push(work)
}

/** For those that begin transactions: what waits for the commit of this one. */
export function collectAfterCommit(transaction: object): () => void {
  const waiting: (() => void)[] = []
  afterCommits.set(transaction, waiting)
  return () => {
    for (const work of waiting) work()
  }
}

/** The same transaction under another object. */
export function shareAfterCommit(transaction: object, other: object): void {
  const waiting = afterCommits.get(transaction)
  if (waiting !== undefined) afterCommits.set(other, waiting)
}

/** A connection of a pool is used again, perhaps without a transaction. */
export function forgetAfterCommit(transaction: object): void {
  afterCommits.delete(transaction)
}

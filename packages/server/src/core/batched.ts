import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks for values one by one; those that are asked for at the same moment are read together, each once. `gatherMs`: at least this
 * time is between two readings, so that what is asked for meanwhile is read together too.
 */
export function batched<K, V>(
  readAll: (keys: readonly K[]) => Promise<readonly V[]>,
  gatherMs = 0,
): (key: K) => Promise<V> {
  let next: { keys: Map<K, number>; values: Promise<readonly V[]> } | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const begin = () => {
    const keys = new Map<K, number>()
    const waitMs = readAt + gatherMs - performance.now()
    const moment = waitMs > 0 ? sleep(waitMs) : Promise.resolve()
    const values = moment.then(() => {
      next = null
      readAt = performance.now()
      return readAll([...keys.keys()])
    })
    return { keys, values }
  }
  return async (key) => {
    next ??= begin()
    const { keys, values } = next
    const index = keys.get(key) ?? keys.size
    keys.set(key, index)
    return (await values)[index] as V
  }
}

interface Gathering<K> {
  /** At least this time is between two readings, so that what is asked for meanwhile is read together too. */
  gatherMs?: number
  /** These are read at once. */
  isUrgent?(keys: readonly K[]): boolean
}

/** Asks for values one by one; those that are asked for at the same moment are read together, each once. */
export function batched<K, V>(
  readAll: (keys: readonly K[]) => Promise<readonly V[]>,
  { gatherMs = 0, isUrgent = () => false }: Gathering<K> = {},
): (key: K) => Promise<V> {
  let next: { keys: Map<K, number>; values: Promise<readonly V[]>; read: () => void } | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const begin = () => {
    const keys = new Map<K, number>()
    const { promise: moment, resolve: read } = Promise.withResolvers<void>()
    const waitMs = readAt + gatherMs - performance.now()
    const timer = setTimeout(read, Math.max(0, waitMs))
    if (waitMs <= 0) read()
    const values = moment.then(() => {
      clearTimeout(timer)
      next = null
      readAt = performance.now()
      return readAll([...keys.keys()])
    })
    return { keys, values, read }
  }
  return async (key) => {
    next ??= begin()
    const { keys, values, read } = next
    const index = keys.get(key) ?? keys.size
    keys.set(key, index)
    if (isUrgent([...keys.keys()])) read()
    return (await values)[index] as V
  }
}

/** Asks for values one by one; those that are asked for at the same moment are read together, each once. */
export function batched<K, V>(
  readAll: (keys: readonly K[]) => Promise<readonly V[]>,
): (key: K) => Promise<V> {
  let next: { keys: Map<K, number>; values: Promise<readonly V[]> } | null = null
  const begin = () => {
    const keys = new Map<K, number>()
    const values = Promise.resolve().then(() => {
      next = null
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

interface Named {
  name: string
}

export interface Pair<T> {
  now: T
  before: T | null
}

/** Those of the same name, then the others in their order: files of a failed test are often called otherwise. */
export function pairScreenshots<T extends Named>(now: readonly T[], before: readonly T[]): Pair<T>[] {
  const rest = [...before]
  const take = (index: number) => (index < 0 ? null : (rest.splice(index, 1)[0] ?? null))
  const byName = now.map((picture) => ({
    now: picture,
    before: take(rest.findIndex(({ name }) => name === picture.name)),
  }))
  return byName.map((pair) => ({ ...pair, before: pair.before ?? take(rest.length > 0 ? 0 : -1) }))
}

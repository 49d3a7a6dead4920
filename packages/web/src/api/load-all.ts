const maxPages = 50

/** All pages of a list, one after another; no more than 50 of them. */
export async function loadAll<T>(
  load: (page: number) => Promise<{ entries: readonly T[]; total: number }>,
): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; page <= maxPages; page++) {
    const { entries, total } = await load(page)
    all.push(...entries)
    if (entries.length === 0 || all.length >= total) break
  }
  return all
}

// Lists that people choose from have to be complete: all their pages are loaded.

/** Pages at a time: a list of thousands appears soon, and other requests still get connections. */
const atOnce = 4

/** All pages of a `limit`/`page` list. */
export async function loadAll<T>(
  load: (page: number) => Promise<{ entries: readonly T[]; total: number }>,
): Promise<T[]> {
  const first = await load(1)
  const all = [...first.entries]
  const pages = first.entries.length === 0 ? 0 : Math.ceil(first.total / first.entries.length)
  for (let page = 2; page <= pages; page += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, pages - page + 1) }, (_, index) => page + index)
    for (const { entries } of await Promise.all(numbers.map(load))) all.push(...entries)
  }
  return all
}

/** All pages of a list in which each page names the next one. */
export async function loadAllByCursor<T>(
  load: (after: { nextId?: string }) => Promise<{ entries: readonly T[]; nextId: string | null }>,
): Promise<T[]> {
  const all: T[] = []
  let nextId: string | null = null
  do {
    const page: { entries: readonly T[]; nextId: string | null } = await load(
      nextId === null ? {} : { nextId },
    )
    all.push(...page.entries)
    nextId = page.nextId
  } while (nextId !== null)
  return all
}

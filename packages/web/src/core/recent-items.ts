// What was opened last, by account, kept in the storage of the browser.
export interface RecentItem {
  path: string
  name: string
}

const key = 'vedette.recent'
const most = 8

type Stored = Record<string, RecentItem[]>

export function addRecent(items: readonly RecentItem[], item: RecentItem): RecentItem[] {
  return [item, ...items.filter(({ path }) => path !== item.path)].slice(0, most)
}

export function recentItems(accountId: string): readonly RecentItem[] {
  return read()[accountId] ?? []
}

export function rememberRecent(accountId: string, item: RecentItem): void {
  const stored = read()
  try {
    localStorage.setItem(
      key,
      JSON.stringify({ ...stored, [accountId]: addRecent(stored[accountId] ?? [], item) }),
    )
  } catch {
    // The storage is full or blocked: there are no recent items then.
  }
}

function read(): Stored {
  try {
    const stored: Stored | null = JSON.parse(localStorage.getItem(key) ?? '{}')
    return stored ?? {}
  } catch {
    return {}
  }
}

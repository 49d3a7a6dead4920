// Which checks the tabs of this browser show: the stream reports their changes in full.

/** The server accepts this many. */
export const maxWatched = 200

/** The latest tab first, so that what someone looks at wins if there are too many. */
export function uniteWatched(byTab: ReadonlyMap<string, readonly string[]>): string[] {
  const all = [...byTab.values()].reverse().flat()
  return [...new Set(all)].slice(0, maxWatched).sort()
}

// Finds checks of an overview by name, group, tag, host or id. Pure.
import { definitionOf, type SearchHit } from '@vedette/contracts'
import type { OverviewEntry } from './overview-entry.ts'

/** The best first: names that begin with the query, then those with a word that does, then all others. */
export function searchChecks(
  entries: readonly OverviewEntry[],
  { query, limit }: { query: string; limit: number },
): SearchHit[] {
  const wanted = query.toLowerCase()
  const words = wanted.split(/\s+/)
  const rankOf = ({ row }: OverviewEntry) => {
    const name = row.name.toLowerCase()
    if (name.startsWith(wanted)) return 0
    if (name.includes(` ${wanted}`)) return 1
    return name.includes(wanted) ? 2 : 3
  }
  return entries
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ entry: { row, host } }) => ({
      ...{ kind: 'check' as const, id: row.id, name: row.name },
      detail: [definitionOf(row.checkType).title.replace(/^an? /, ''), row.groupName, host]
        .filter(Boolean)
        .join(' · '),
    }))
}

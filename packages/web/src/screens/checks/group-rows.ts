// The rows of a list that is sorted by group: a row for each group, and those of its checks unless it is collapsed.
import type { OverviewPage } from '../../api/types.ts'

export type Group = OverviewPage['groups'][number]

interface Section {
  group: Group
  /** The row of the group itself. */
  start: number
  /** Where its checks begin in the list that the server has. */
  offset: number
  isCollapsed: boolean
}

type Row = { kind: 'group'; group: Group; isCollapsed: boolean } | { kind: 'check'; index: number }

export interface Rows {
  total: number
  /** `index`: of a row; a check has its index in the list. */
  rowAt(index: number): Row
}

/** How a group is remembered as collapsed. */
export const groupKey = ({ groupId }: Group) => String(groupId ?? 'none')

export function plainRows(total: number): Rows {
  return { total, rowAt: (index) => ({ kind: 'check', index }) }
}

export function groupRows(groups: readonly Group[], collapsed: readonly string[]): Rows {
  const sections: Section[] = []
  let [total, offset] = [0, 0]
  for (const group of groups) {
    const isCollapsed = collapsed.includes(groupKey(group))
    sections.push({ group, start: total, offset, isCollapsed })
    total += 1 + (isCollapsed ? 0 : group.total)
    offset += group.total
  }
  return {
    total,
    rowAt(index) {
      const section = sections.findLast(({ start }) => start <= index)
      if (section === undefined) return { kind: 'check', index }
      if (section.start === index)
        return { kind: 'group', group: section.group, isCollapsed: section.isCollapsed }
      return { kind: 'check', index: section.offset + index - section.start - 1 }
    },
  }
}

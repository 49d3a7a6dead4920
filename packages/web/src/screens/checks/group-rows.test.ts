import { describe, expect, it } from 'vitest'
import { type Group, groupRows, plainRows } from './group-rows.ts'

const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0, maintenance: 0, inactive: 0 }
const group = (groupId: number | null, total: number): Group => ({ groupId, name: null, total, counts })
const groups = [group(1, 2), group(2, 3), group(null, 1)]

function shown(collapsed: string[]): string[] {
  const rows = groupRows(groups, collapsed)
  return Array.from({ length: rows.total }, (_, index) => {
    const row = rows.rowAt(index)
    return row.kind === 'group' ? `group ${row.group.groupId}` : String(row.index)
  })
}

describe('the rows of a grouped list', () => {
  it('have the checks of each group below it', () => {
    expect(shown([])).toEqual(['group 1', '0', '1', 'group 2', '2', '3', '4', 'group null', '5'])
  })

  it('leave out the checks of collapsed groups', () => {
    expect(shown(['1', 'none'])).toEqual(['group 1', 'group 2', '2', '3', '4', 'group null'])
    expect(shown(['1', '2', 'none'])).toHaveLength(3)
  })

  it('are the checks themselves without groups', () => {
    expect(plainRows(3).rowAt(2)).toEqual({ kind: 'check', index: 2 })
  })
})

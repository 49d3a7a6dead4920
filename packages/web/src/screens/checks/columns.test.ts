import { expect, it } from 'vitest'
import { fitColumns } from './columns.tsx'

const idsAt = (width: number, hidden: string[] = []) => fitColumns(hidden, width).shown.map(({ id }) => id)

it('shows all columns on a wide screen, and those that matter most on a narrow one', () => {
  expect(idsAt(1600)).toHaveLength(9)
  expect(idsAt(900)).toEqual(['state', 'availability24h', 'p95', 'runs', 'lastRunAt'])
  expect(idsAt(500)).toEqual(['state'])
})

it('leaves out what someone has hidden', () => {
  expect(idsAt(1600, ['p95', 'tags'])).not.toContain('p95')
  expect(fitColumns(['tags'], 1600).hasTags).toBe(false)
})

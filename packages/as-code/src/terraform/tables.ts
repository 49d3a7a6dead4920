import { checkTables } from './check-tables.ts'
import { channelTables, groupTable, otherTables } from './other-tables.ts'
import type { Table } from './table.ts'

/** Of all resources. Those of channels differ in the block that the type has. */
export const terraformTables: readonly Table[] = [
  ...new Set<Table>(Object.values(checkTables)),
  groupTable,
  ...Object.values(channelTables),
  ...Object.values(otherTables),
]

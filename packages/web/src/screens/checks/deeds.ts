// What can be done with many checks at once.
import type { BulkAction } from '@vedette/contracts'

export type SelectedChecks = BulkAction['selection']

type WithoutSelection<T> = T extends unknown ? Omit<T, 'selection' | 'dryRun' | 'expectedCount'> : never
/** An action, with or without what it needs. */
export type Deed =
  | WithoutSelection<BulkAction>
  | { action: 'tag' }
  | { action: 'move' }
  | { action: 'export' }

import type { Check } from '../../api/types.ts'
import type { TimeRange } from '../../core/time-range.ts'

export interface TabProps {
  check: Check
  range: TimeRange
}

import type { CheckType } from '@vedette/contracts'
import type { ResultDetail } from './result-detail.ts'

export interface ComparedResult {
  checkType: CheckType
  statusCode: number | null
  failureMessage: string | null
  responseTimeMs: number | null
  /** Null: there is none, or it was deleted. */
  detail: ResultDetail | null
}

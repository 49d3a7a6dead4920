import { ApiError, invalidInput } from '@vedette/contracts'

/** Counts the results that a request reads. Throws a 400 for `field` beyond the limit, and stops if the client disconnected. */
export function readBudget(limit: number, field: string, signal: AbortSignal): (count: number) => void {
  let read = 0
  return (count) => {
    if (signal.aborted) throw new ApiError('unavailable')
    read += count
    if (read <= limit) return
    const message = `must choose at most ${limit.toLocaleString('en')} results: fewer checks, or a shorter period`
    throw invalidInput([{ path: [field], message }])
  }
}

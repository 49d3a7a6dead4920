// The days until the certificate of a target expires, over the buckets of a chart. Times are in seconds.
import type { ChartLimit } from './chart-data.ts'
import { formatNumberOf } from './format.ts'

export interface SeenCertificate {
  from: number
  to: number
  validTo: number
}

/** In each bucket, of the certificate that expires first. The newest one is still in use; null: none was seen. */
export function certificateDays(
  times: readonly number[],
  stepSeconds: number,
  certificates: readonly SeenCertificate[],
  now: number,
): (number | null)[] {
  const newest = Math.max(...certificates.map(({ to }) => to))
  return times.map((at) => {
    if (at > now) return null
    const ends = certificates
      .filter(({ from, to }) => from < at + stepSeconds && (at <= to || to === newest))
      .map(({ validTo }) => validTo)
    return ends.length === 0 ? null : Math.max(0, (Math.min(...ends) - at) / 86_400)
  })
}

export function expiryLimits(days: number | null, what: string): ChartLimit[] {
  if (days === null || days <= 0) return []
  const label = formatNumberOf(days, 'day')
  return [{ value: days, color: '--degraded-mark', label, meaning: `${what} at ${label}` }]
}

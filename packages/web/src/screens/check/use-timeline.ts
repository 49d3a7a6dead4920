// What charts show besides figures: maintenance, deployments, changes and certificates. Times are in seconds.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import type { SeenCertificate } from '../../core/certificate-days.ts'
import type { Interval } from '../../core/chart-data.ts'
import type { TimeRange } from '../../core/time-range.ts'
import type { ChartEvent } from './draw-chart.ts'

export interface NamedCertificate extends SeenCertificate {
  subject: string
  issuer: string
}

export interface Timeline {
  maintenance: Interval[]
  events: ChartEvent[]
  /** Oldest first. */
  certificates: NamedCertificate[]
  certificateAlertDays: number | null
}

export const noTimeline: Timeline = {
  maintenance: [],
  events: [],
  certificates: [],
  certificateAlertDays: null,
}

export function useTimeline(check: Check, range: TimeRange) {
  const { from, to } = range
  return useQuery({
    queryKey: ['timeline', check.id, from, to],
    queryFn: async ({ signal }): Promise<Timeline> => {
      const input = { params: { id: check.id }, query: { from, to } }
      const timeline = await call('GET /v1/checks/{id}/timeline', input, signal)
      const seconds = (text: string) => Date.parse(text) / 1000
      return {
        maintenance: timeline.maintenance.map((one) => ({ from: seconds(one.from), to: seconds(one.to) })),
        events: timeline.events.map(({ at, ...event }) => ({ ...event, at: seconds(at) })),
        certificates: timeline.certificates.map(({ firstSeenAt, lastSeenAt, validTo, ...names }) => ({
          ...{ ...names, validTo: seconds(validTo) },
          ...{ from: seconds(firstSeenAt), to: seconds(lastSeenAt) },
        })),
        certificateAlertDays: timeline.certificateAlertDays,
      }
    },
  })
}

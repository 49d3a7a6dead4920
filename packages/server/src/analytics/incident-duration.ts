export interface IncidentStep {
  status: string
  /** The publication date, which users can set. */
  at: string
}

/** When an incident began and ended. `end` null: it is open. */
export interface IncidentSpan {
  start: number
  end: number | null
}

/**
 * From the first update to the RESOLVED that closed the incident. Reopening extends it to the next RESOLVED; a repeated
 * RESOLVED changes nothing. Takes the updates oldest first; null: there are none.
 */
export function incidentSpan(steps: readonly IncidentStep[]): IncidentSpan | null {
  const [first] = steps
  if (first === undefined) return null
  let closedAt: string | null = null
  for (const { status, at } of steps) {
    if (status !== 'RESOLVED') closedAt = null
    else closedAt ??= at
  }
  return { start: Date.parse(first.at), end: closedAt === null ? null : Date.parse(closedAt) }
}

/** In milliseconds; null while the incident is open. */
export function incidentDuration(steps: readonly IncidentStep[]): number | null {
  const span = incidentSpan(steps)
  return span === null || span.end === null ? null : span.end - span.start
}

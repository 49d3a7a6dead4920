export interface IncidentStep {
  status: string
  /** The publication date, which users can set. */
  at: string
}

/**
 * Milliseconds from the first update to the RESOLVED that closed the incident, null while it is open.
 * Reopening extends it to the next RESOLVED; a repeated RESOLVED changes nothing.
 * Takes the updates oldest first.
 */
export function incidentDuration(steps: IncidentStep[]): number | null {
  const [first] = steps
  let closedAt: string | null = null
  for (const { status, at } of steps) {
    if (status !== 'RESOLVED') closedAt = null
    else closedAt ??= at
  }
  if (first === undefined || closedAt === null) return null
  return Date.parse(closedAt) - Date.parse(first.at)
}

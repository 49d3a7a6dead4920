// The version of a check or a group is the time of its last change. Clients send it back as If-Match.
import { ApiError } from '@vedette/contracts'

interface Versioned {
  created_at: Date | string
  updated_at: Date | string | null
}

/** 412 if the row has changed since the version that the caller read. The row must be locked. */
export function requireVersion(row: Versioned, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  const versions = ifMatch.split(',').map((version) => Date.parse(version.trim().replace(/^(W\/)?"|"$/g, '')))
  if (!versions.includes(timeOf(row))) throw new ApiError('precondition_failed')
}

/** Differs from the versions of all rows, also if several changes happen in one millisecond. It is shown as the time of the change. */
export function nextVersion(rows: readonly Versioned[], nowMs: number): Date {
  const versions = new Set(rows.map(timeOf))
  let next = nowMs
  while (versions.has(next)) next += 1
  return new Date(next)
}

function timeOf({ created_at, updated_at }: Versioned): number {
  return new Date(updated_at ?? created_at).getTime()
}

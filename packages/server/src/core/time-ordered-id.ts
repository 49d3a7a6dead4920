import { randomUUID } from 'node:crypto'

/** A UUID of version 7: ids sort by their millisecond. */
export function timeOrderedId(at: number): string {
  const time = timeText(at)
  // Node caches random UUIDs; randomBytes would be a system call for each id.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** Sorts before all ids of that millisecond and after all earlier ones. */
export function firstIdOf(at: number): string {
  const time = timeText(Math.max(0, at))
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}

/** The millisecond of an id of version 7; null for any other id. */
export function timeOfId(id: string): number | null {
  const digits = id.replaceAll('-', '')
  return digits[12] === '7' ? Number.parseInt(digits.slice(0, 12), 16) : null
}

/** Twelve hexadecimal digits. */
function timeText(at: number): string {
  return Math.floor(at).toString(16).padStart(12, '0')
}

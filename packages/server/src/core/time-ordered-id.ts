import { randomUUID } from 'node:crypto'

/** A UUID of version 7: ids sort by the millisecond they were made for. */
export function timeOrderedId(at: number): string {
  const time = timeText(at)
  // Node keeps random UUIDs ready; random bytes would be asked of the system for each.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** No id of that millisecond or later sorts before it, no earlier one after it. */
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

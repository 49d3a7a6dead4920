// Instants as fields of dates show them: the wall-clock time of a zone, without an offset.

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  formats.set(timezone, format)
  return format
}

/** The wall-clock time as if the zone were UTC, in milliseconds. */
export function wallTimeOf(instant: number, timezone: string): number {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'))
}

/** `2026-11-20T09:00`, for a field of the type datetime-local. */
export function toLocalInput(instant: string | null, timezone: string): string {
  const time = Date.parse(instant ?? '')
  return Number.isNaN(time) ? '' : new Date(wallTimeOf(time, timezone)).toISOString().slice(0, 16)
}

/** The instant of a wall-clock time; null: it isn't one. A time that a clock change skips becomes later by the change. */
export function fromLocalInput(text: string, timezone: string): string | null {
  const wall = Date.parse(`${text}Z`)
  if (Number.isNaN(wall)) return null
  // The offset before a clock change may differ from the one after it: two steps find either.
  let instant = wall - (wallTimeOf(wall, timezone) - wall)
  instant = wall - (wallTimeOf(instant, timezone) - instant)
  return new Date(instant).toISOString()
}

/** The zone of the browser. */
export function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function allTimezones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
}

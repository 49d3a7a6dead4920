// For how long a check can be muted.
import { formatMoment, type TimeOptions } from './format.ts'

export interface MuteChoice {
  id: string
  label: string
  /** Null: until someone unmutes it. */
  until: string | null
}

const hourMs = 3_600_000
const morningHour = 9

export function muteChoices(now: number, { isUtc = false }: TimeOptions = {}): MuteChoice[] {
  const inHours = (hours: number) => new Date(now + hours * hourMs).toISOString()
  return [
    { id: 'mute-1h', label: 'Mute for 1 h', until: inHours(1) },
    { id: 'mute-8h', label: 'Mute for 8 h', until: inHours(8) },
    { id: 'mute-tomorrow', label: 'Mute until tomorrow 9:00', until: tomorrowMorning(now, isUtc) },
    { id: 'mute-forever', label: 'Mute forever', until: null },
  ]
}

function tomorrowMorning(now: number, isUtc: boolean): string {
  const date = new Date(now)
  // Setting the day and the hour instead of adding 24 hours, since days may have 23 or 25.
  if (isUtc) {
    date.setUTCDate(date.getUTCDate() + 1)
    date.setUTCHours(morningHour, 0, 0, 0)
  } else {
    date.setDate(date.getDate() + 1)
    date.setHours(morningHour, 0, 0, 0)
  }
  return date.toISOString()
}

interface Mutable {
  muted: boolean
  mutedUntil?: string | null
}

/** A mute whose time is over may still be in data that was read before. */
export function isMuted({ muted, mutedUntil = null }: Mutable, now: number): boolean {
  return muted || (mutedUntil !== null && Date.parse(mutedUntil) > now)
}

/** `Muted until 17:00`; of a mute without an end: `Muted`. */
export function muteWords(mutedUntil: string | null, now: number, options: TimeOptions = {}): string {
  if (mutedUntil === null) return 'Muted'
  // Minutes are exact enough.
  return `Muted until ${formatMoment(Date.parse(mutedUntil), now, options).replace(/(\d\d:\d\d):\d\d/, '$1')}`
}

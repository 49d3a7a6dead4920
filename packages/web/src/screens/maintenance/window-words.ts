import { formatNumberOf } from '../../core/format.ts'

interface Effects {
  tags: readonly string[]
  pauseAllChecks: boolean
  silenceAllAlerts: boolean
  silenceAlertsTags: readonly string[]
}

/** `Pauses checks tagged web; silences all alerts`. */
export function effectsInWords(window: Effects): string {
  const parts = [
    window.pauseAllChecks ? 'pauses all checks' : tagged('pauses checks', window.tags),
    window.silenceAllAlerts
      ? 'silences all alerts'
      : tagged('silences alerts of checks', window.silenceAlertsTags),
  ].filter((part) => part !== '')
  const text = parts.join('; ')
  return text === '' ? 'Has no effect' : text.charAt(0).toUpperCase() + text.slice(1)
}

function tagged(verb: string, tags: readonly string[]): string {
  return tags.length === 0 ? '' : `${verb} tagged ${tags.join(' or ')}`
}

interface Repeats {
  repeatInterval: number | null
  repeatUnit: 'DAY' | 'WEEK' | 'MONTH' | null
  timezone: string | null
}

const units = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const

/** `Once`, `Every 2 weeks (Europe/Berlin)`. */
export function repeatsInWords({ repeatInterval, repeatUnit, timezone }: Repeats): string {
  if (repeatInterval === null || repeatUnit === null) return 'Once'
  const unit = units[repeatUnit]
  const every = repeatInterval === 1 ? `Every ${unit}` : `Every ${formatNumberOf(repeatInterval, unit)}`
  return `${every} (${timezone ?? 'UTC'})`
}

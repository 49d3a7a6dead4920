// Alert settings as a sentence, and the values that the API allows.
import type { AlertSettings } from '@vedette/contracts'

const untilRecovery = 100_000

export const runOptions = ([1, 2, 3, 4, 5] as const).map((value) => ({
  value,
  label: value === 1 ? '1 failed run' : `${value} failed runs in a row`,
}))

export const minuteOptions = ([5, 10, 15, 30] as const).map((value) => ({ value, label: `${value} minutes` }))

export const reminderOptions = ([0, 1, 2, 3, 4, 5, untilRecovery] as const).map((value) => ({
  value,
  label: value === untilRecovery ? 'Until it recovers' : value === 0 ? 'None' : `${value}`,
}))

export const intervalOptions = ([1, 2, 3, 4, 5, 10, 15, 30] as const).map((value) => ({
  value,
  label: value === 1 ? 'Every minute' : `Every ${value} minutes`,
}))

export const percentOptions = ([10, 20, 30, 40, 50, 60, 70, 80, 90, 100] as const).map((value) => ({
  value,
  label: value === 100 ? 'All locations' : `${value} % of the locations`,
}))

/** `After 2 failed runs in a row; then a reminder every 5 minutes until it recovers`. */
export function alertSettingsInWords(settings: Partial<AlertSettings> | null | undefined): string {
  const when =
    settings?.escalationType === 'TIME_BASED'
      ? `After failing for ${settings.timeBasedEscalation?.minutesFailingThreshold ?? 5} minutes`
      : afterRuns(settings?.runBasedEscalation?.failedRunThreshold ?? 1)
  const share = settings?.parallelRunFailureThreshold
  return [
    when + (share?.enabled ? ` in at least ${share.percentage} % of the locations` : ''),
    remindersOf(settings),
  ]
    .filter(Boolean)
    .join('; ')
}

function afterRuns(count: number): string {
  return count === 1 ? 'After the first failed run' : `After ${count} failed runs in a row`
}

function remindersOf(settings: Partial<AlertSettings> | null | undefined): string {
  const { amount = 0, interval = 5 } = settings?.reminders ?? {}
  if (amount === 0) return ''
  const every = interval === 1 ? 'every minute' : `every ${interval} minutes`
  if (amount === untilRecovery) return `then a reminder ${every} until it recovers`
  return amount === 1 ? `then one reminder after ${interval} min` : `then ${amount} reminders, ${every}`
}

import { expect, it } from 'vitest'
import { alertSettingsInWords } from './alert-settings-words.ts'

it.each([
  [null, 'After the first failed run'],
  [{ runBasedEscalation: { failedRunThreshold: 3 } } as const, 'After 3 failed runs in a row'],
  [
    {
      escalationType: 'TIME_BASED',
      timeBasedEscalation: { minutesFailingThreshold: 15 },
      reminders: { amount: 100_000, interval: 1 },
    } as const,
    'After failing for 15 minutes; then a reminder every minute until it recovers',
  ],
  [
    {
      parallelRunFailureThreshold: { enabled: true, percentage: 50 },
      reminders: { amount: 2, interval: 10 },
    } as const,
    'After the first failed run in at least 50 % of the locations; then 2 reminders, every 10 minutes',
  ],
])('%j in words', (settings, words) => expect(alertSettingsInWords(settings)).toBe(words))

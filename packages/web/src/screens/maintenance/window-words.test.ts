import { expect, it } from 'vitest'
import { effectsInWords, repeatsInWords } from './window-words.ts'

const none = { tags: [], pauseAllChecks: false, silenceAllAlerts: false, silenceAlertsTags: [] }

it.each([
  [none, 'Has no effect'],
  [{ ...none, tags: ['web', 'api'] }, 'Pauses checks tagged web or api'],
  [{ ...none, pauseAllChecks: true, silenceAllAlerts: true }, 'Pauses all checks; silences all alerts'],
  [{ ...none, silenceAlertsTags: ['web'] }, 'Silences alerts of checks tagged web'],
])('%j in words', (window, words) => expect(effectsInWords(window)).toBe(words))

it.each([
  [{ repeatInterval: null, repeatUnit: 'WEEK' as const, timezone: null }, 'Once'],
  [{ repeatInterval: 1, repeatUnit: 'DAY' as const, timezone: null }, 'Every day (UTC)'],
  [
    { repeatInterval: 2, repeatUnit: 'WEEK' as const, timezone: 'Europe/Berlin' },
    'Every 2 weeks (Europe/Berlin)',
  ],
])('%j in words', (window, words) => expect(repeatsInWords(window)).toBe(words))

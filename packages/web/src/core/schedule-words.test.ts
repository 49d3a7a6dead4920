import { expect, it } from 'vitest'
import { periodInWords, scheduleInWords } from './schedule-words.ts'

const names: Record<string, string> = { 'eu-central-1': 'Frankfurt', 'us-east-1': 'N. Virginia' }
const nameOf = (location: string) => names[location] ?? location

it.each([
  [
    { frequency: 5, locations: ['eu-central-1', 'us-east-1'] },
    'every 5 minutes, in turn from Frankfurt and N. Virginia',
  ],
  [
    { frequency: 1, locations: ['eu-central-1', 'us-east-1'], runParallel: true },
    'every minute, at once from Frankfurt and N. Virginia',
  ],
  [{ frequency: 60, locations: [], privateLocations: ['office'] }, 'every hour from office'],
  [{ frequency: 0, frequencyOffset: 10, locations: ['eu-central-1'] }, 'every 10 seconds from Frankfurt'],
  [{ frequency: 10, locations: [] }, 'every 10 minutes, without a location'],
])('%j', (schedule, words) => expect(scheduleInWords({ checkType: 'URL', ...schedule }, nameOf)).toBe(words))

it.each([
  [
    { period: 10, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes' },
    'expects a ping every 10 minutes, at most 5 minutes late',
  ],
  [
    { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' },
    'expects a ping every day, at most 1 hour late',
  ],
  [{ period: 30, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' }, 'expects a ping every 30 seconds'],
])('a heartbeat monitor %j', (heartbeat, words) =>
  expect(scheduleInWords({ checkType: 'HEARTBEAT', heartbeat }, nameOf)).toBe(words),
)

it('names every frequency', () => {
  expect([1, 30, 60, 120, 1440].map((minutes) => periodInWords(minutes, null))).toEqual([
    'every minute',
    'every 30 minutes',
    'every hour',
    'every 2 hours',
    'every day',
  ])
})

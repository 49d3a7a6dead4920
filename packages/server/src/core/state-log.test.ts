import { expect, it } from 'vitest'
import { createEventLog } from './event-log.ts'
import { createStateLog, type LoggedState, type StateChange } from './state-log.ts'

const minute = 60_000

it('logs that a check fails, why, and how long it took to recover', async () => {
  const lines: string[] = []
  const log = createEventLog({ info: ((_fields: object, text: string) => lines.push(text)) as never })
  const states = createStateLog(log, async () => new Map([['c1', 'Shop']]))
  const change = (from: LoggedState | null, to: LoggedState, at: number, reason: string | null = null) =>
    ({
      accountId: 'a',
      checkId: 'c1',
      from,
      to,
      since: null,
      at,
      location: 'eu-west-1',
      reason,
    }) satisfies StateChange
  states.add([change('passing', 'failing', 0, 'connection refused\nsecond line')])
  states.add([change('failing', 'degraded', minute, null)])
  states.add([change('degraded', 'passing', 3 * minute)])
  states.add([change('failing', 'passing', 9 * minute)])
  states.add([{ ...change('failing', 'passing', 70 * minute), since: 5 * minute }])
  states.add([{ ...change('passing', 'failing', 0), checkId: 'deleted meanwhile' }])
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toEqual([
    'Check "Shop" is failing: connection refused',
    'Check "Shop" no longer fails, but is degraded.',
    'Check "Shop" recovered after 3 min.',
    'Check "Shop" recovered.',
    'Check "Shop" recovered after 1 h 5 min.',
  ])
})

// Reminders repeat an alert. decide.fixture.ts explains the notation.
import { describe, expect, it } from 'vitest'
import { play } from './decide.fixture.ts'

const intervals = [1, 2, 3, 4, 5, 10, 15, 30]
const reminders = (count: number, interval: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ` @${from + (index + 1) * interval}#${index}`).join('')

describe('reminders', () => {
  const amounts = [0, 1, 2, 3, 4, 5]
  const rows = amounts.flatMap((amount) => intervals.map((interval) => ({ amount, interval })))

  it.each(rows)(
    'of $amount every $interval minutes come $amount, numbered from 0',
    ({ amount, interval }) => {
      const script = `F .${(amount + 2) * interval} P .60`
      expect(play(`1 *${amount}/${interval}`, script)).toBe(`FAILURE${reminders(amount, interval)} RECOVERY`)
    },
  )

  it.each(intervals)('without end come every %i minutes until it recovers', (interval) => {
    const expected = `DEGRADED${reminders(200, interval)} DEGRADED_RECOVERY`
    const script = `D .${200 * interval - 1} P .900`
    expect(play(`1 *100000/${interval}`, script)).toBe(expected)
  })

  it.each([
    [
      'count from the alert, not from the first run',
      '3 *2/5',
      'F F F .20',
      '(threshold) - FAILURE_REMAIN @7#0 @12#1',
    ],
    [
      'count from the alert of an escalation by time',
      '10m *2/5',
      'F .30',
      '(threshold) @10:FAILURE_REMAIN @15#0 @20#1',
    ],
    [
      'are not sent for alerts that the threshold holds back',
      '5 *5/1',
      'F F F F P',
      '(threshold) - - - (untold)',
    ],
    ['do not depend on runs', '1 *2/5', 'F F F F F F F', 'FAILURE - - - - @5#0 - -'],
    ['are canceled by the recovery', '1 *5/5', 'F .6 P .60', 'FAILURE @5#0 RECOVERY'],
    [
      'are canceled by the recovery of a degradation',
      '1 *5/5',
      'D .6 P .60',
      'DEGRADED @5#0 DEGRADED_RECOVERY',
    ],
    ['are canceled by a silenced recovery', '1 *5/5', 'F .6 muted P lifted .60', 'FAILURE @5#0 (muted)'],
    ['restart with the next episode', '1 *1/5', 'F .6 P F .9', 'FAILURE @5#0 RECOVERY FAILURE @13#0'],
    [
      'restart with an escalation',
      '1 *2/5',
      'D .6 F .20 P',
      'DEGRADED @5#0 DEGRADED_FAILURE @12#0 @17#1 RECOVERY',
    ],
    [
      'restart with a de-escalation',
      '1 *1/5',
      'F .6 D .20 P',
      'FAILURE @5#0 FAILURE_DEGRADED @12#0 DEGRADED_RECOVERY',
    ],
    ['restart although all had been sent', '1 *1/1', 'D .9 F .9', 'DEGRADED @1#0 DEGRADED_FAILURE @11#0'],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

describe('reminders whose settings change', () => {
  it.each([
    ['to fewer: those already sent count', '1 *5/5', 'F .11 =*2/5 .30', 'FAILURE @5#0 @10#1'],
    ['to fewer, one of which is left', '1 *5/5', 'F .6 =*2/5 .30', 'FAILURE @5#0 @10#1'],
    ['to none', '1 *5/5', 'F .6 =*0/5 .30 P', 'FAILURE @5#0 RECOVERY'],
    ['to more', '1 *2/5', 'F .6 =*3/5 .30', 'FAILURE @5#0 @10#1 @15#2'],
    ['to another interval: from the next one on', '1 *3/5', 'F .6 =*3/1 .9', 'FAILURE @5#0 @10#1 @11#2'],
    [
      'from none to some: with the next alert',
      '1',
      'D . =*1/5 D .9 F .9',
      'DEGRADED - DEGRADED_FAILURE @17#0',
    ],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

describe('reminders and silence', () => {
  const silences = ['muted', 'inactive', 'maintenance']

  it.each(silences)('a reminder that is due while %s is never sent and does not count', (silence) => {
    expect(play('1 *2/5', `F ${silence} .11 lifted .30`)).toBe('FAILURE @15#0 @20#1')
  })

  it.each(silences)(
    'an alert that was held because %s has no reminders, also when the silence is lifted',
    (silence) => {
      expect(play('1 *5/5', `${silence} F .11 lifted F .30`)).toBe(`(${silence}) -`)
    },
  )

  it.each(silences)('they end with a recovery while %s', (silence) => {
    expect(play('1 *5/5', `F .6 ${silence} P .30 lifted .30`)).toBe(`FAILURE @5#0 (${silence})`)
  })
})

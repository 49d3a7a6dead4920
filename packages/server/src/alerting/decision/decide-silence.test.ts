// Mute, activation and maintenance: nothing is sent, also not later. decide.fixture.ts explains the notation.
import { describe, expect, it } from 'vitest'
import { play } from './decide.fixture.ts'

describe.each(['muted', 'inactive', 'maintenance'])('%s', (silence) => {
  const rows = [
    // From the first run to the last.
    ['a failure and its recovery', '1', 'S F F P', '(S) - (untold)'],
    ['a degradation and its recovery', '1', 'S D D P', '(S) - (untold)'],
    ['every change', '1', 'S F D F P', '(S) (S) (S) (untold)'],
    ['an alert at the threshold', '3', 'S F F F F P', '(threshold) - (S) - (untold)'],
    ['an escalation by time', '5m', 'S F .9 P', '(threshold) @5:(S) (untold)'],
    ['a passing check has nothing to silence', '1', 'S P P P', '- - -'],
    // At the beginning, then lifted.
    ['a failure that began in silence is not sent later', '1', 'S F lifted F F', '(S) - -'],
    ['nor is its recovery', '1', 'S F lifted F P', '(S) - (untold)'],
    ['nor is the recovery of a degradation', '1', 'S D lifted P', '(S) (untold)'],
    ['nor by time', '5m', 'S F .9 lifted F .60', '(threshold) @5:(S) -'],
    ['an escalation after the silence is sent', '1', 'S D lifted F P', '(S) DEGRADED_FAILURE RECOVERY'],
    [
      'a de-escalation after the silence is sent',
      '1',
      'S F lifted D P',
      '(S) FAILURE_DEGRADED DEGRADED_RECOVERY',
    ],
    ['the next episode after the silence is sent', '1', 'S F lifted P F P', '(S) (untold) FAILURE RECOVERY'],
    [
      'lifted before the threshold is reached, it is sent',
      '3',
      'S F F lifted F P',
      '(threshold) - FAILURE_REMAIN RECOVERY',
    ],
    [
      'lifted before the escalation time, it is sent',
      '10m',
      'S F .4 lifted .20 P',
      '(threshold) @10:FAILURE_REMAIN RECOVERY',
    ],
    [
      'lifted after the threshold was reached, it is not sent',
      '2',
      'S F F lifted F P',
      '(threshold) (S) - (untold)',
    ],
    [
      'lifted between two degraded runs',
      '2',
      'S D lifted D P',
      '(threshold) DEGRADED_REMAIN DEGRADED_RECOVERY',
    ],
    // In the middle.
    ['a sent failure is over when the silence is lifted', '1', 'F S F lifted P', 'FAILURE - RECOVERY'],
    ['a de-escalation in the middle', '1', 'F S D lifted P', 'FAILURE (S) DEGRADED_RECOVERY'],
    ['an escalation in the middle', '1', 'D S F lifted P', 'DEGRADED (S) RECOVERY'],
    ['an escalation in the middle is not sent later', '1', 'D S F lifted F F', 'DEGRADED (S) - -'],
    ['a failure again after a silent de-escalation', '1', 'F S D lifted F', 'FAILURE (S) DEGRADED_FAILURE'],
    ['a whole episode in the middle', '1', 'F P S F P lifted F', 'FAILURE RECOVERY (S) (untold) FAILURE'],
    ['an escalation below the threshold', '5', 'D S F lifted F P', '(threshold) (S) - (untold)'],
    // At the end.
    ['a recovery is not sent later', '1', 'F S P lifted P', 'FAILURE (S) -'],
    ['a recovery of a degradation is not sent later', '1', 'D S P lifted P', 'DEGRADED (S) -'],
    [
      'after a silent recovery a failure is a new one',
      '1',
      'F S P lifted F P',
      'FAILURE (S) FAILURE RECOVERY',
    ],
    ['a silent episode after a silent recovery', '1', 'F S P F P lifted P', 'FAILURE (S) (S) (untold) -'],
    ['recovery before the silence', '1', 'F P S P', 'FAILURE RECOVERY -'],
    // Combined with thresholds and backlogs.
    ['a share of locations that is enough', '50%', 'S 3/5 lifted 0/5', '(S) (untold)'],
    ['a share of locations that is not enough', '50%', 'S 1/5 lifted 3/5', '(parallel_threshold) FAILURE'],
    ['a recovery by a smaller share', '50%', '3/5 S 1/5 lifted 1/5 3/5', 'FAILURE (S) - FAILURE'],
    ['a backlog', '1', 'S . . FFP F', '- (S)'],
    ['the end of a backlog', '1', 'S f lifted .', '- @0:20:FAILURE'],
    ['the end of a backlog in silence', '1', 'f S . lifted F P', '- @0:20:(S) - (untold)'],
  ] as const

  it.each(rows)('%s (%s: %s)', (_, policy, script, expected) => {
    const named = (text: string) => text.replaceAll(/\bS\b/g, silence)
    expect(play(policy, named(script))).toBe(named(expected))
  })
})

describe('one silence after another', () => {
  it.each([
    [
      'each has its own reason',
      '1',
      'muted F inactive D maintenance F lifted P',
      '(muted) (inactive) (maintenance) (untold)',
    ],
    [
      'between them alerts are sent',
      '1',
      'muted F lifted D inactive F lifted P',
      '(muted) FAILURE_DEGRADED (inactive) RECOVERY',
    ],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

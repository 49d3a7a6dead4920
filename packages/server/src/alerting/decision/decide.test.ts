// A row for every transition, threshold and kind of escalation. decide.fixture.ts explains the notation.
import { describe, expect, it } from 'vitest'
import { play } from './decide.fixture.ts'

const thresholds = [1, 2, 3, 4, 5]
const lasting = (letter: string, runs: number) => Array(runs).fill(letter).join(' ')
const last = (outcome: string) => outcome.split(' ').at(-1)

describe('every transition after 1 to 5 runs', () => {
  interface Row {
    policy: string
    script: string
    expected: string
    because: string
  }
  const rows = thresholds.flatMap((threshold): Row[] => {
    const policy = String(threshold)
    const begins = (code: string) => (threshold === 1 ? code : '(threshold)')
    const fromPassing: Row[] = [
      { policy, script: 'P P', expected: '-', because: 'a check that keeps passing sends no alert' },
      { policy, script: 'P D', expected: begins('DEGRADED'), because: 'the first run counts as one' },
      { policy, script: 'P F', expected: begins('FAILURE'), because: 'the first run counts as one' },
    ]
    const fromTrouble = thresholds.flatMap((runs): Row[] => {
      const isNotified = runs >= threshold
      const remains = (code: string) => (runs + 1 === threshold ? code : '-')
      const degraded = `P ${lasting('D', runs)}`
      const failing = `P ${lasting('F', runs)}`
      return [
        {
          policy,
          script: `${degraded} D`,
          expected: remains('DEGRADED_REMAIN'),
          because: 'it is sent once, when the threshold is reached',
        },
        {
          policy,
          script: `${failing} F`,
          expected: remains('FAILURE_REMAIN'),
          because: 'it is sent once, when the threshold is reached',
        },
        {
          policy,
          script: `${degraded} F`,
          expected: 'DEGRADED_FAILURE',
          because: 'an escalation is always sent',
        },
        {
          policy,
          script: `${failing} D`,
          expected: 'FAILURE_DEGRADED',
          because: 'a de-escalation is always sent',
        },
        {
          policy,
          script: `${degraded} P`,
          expected: isNotified ? 'DEGRADED_RECOVERY' : '(untold)',
          because: 'only a sent alert has a recovery',
        },
        {
          policy,
          script: `${failing} P`,
          expected: isNotified ? 'RECOVERY' : '(untold)',
          because: 'only a sent alert has a recovery',
        },
      ]
    })
    return [...fromPassing, ...fromTrouble]
  })

  it.each(rows)('$policy: $script ends in $expected: $because', ({ policy, script, expected }) => {
    expect(last(play(policy, script))).toBe(expected)
  })

  it('covers each of the eight alerts of the table', () => {
    const codes = new Set(rows.map(({ expected }) => expected))
    expect([...codes].filter((code) => /^[A-Z]/.test(code)).sort()).toEqual([
      'DEGRADED',
      'DEGRADED_FAILURE',
      'DEGRADED_RECOVERY',
      'DEGRADED_REMAIN',
      'FAILURE',
      'FAILURE_DEGRADED',
      'FAILURE_REMAIN',
      'RECOVERY',
    ])
  })
})

describe('counted runs', () => {
  it.each([
    ['a passing check sends no alert', '1', 'P P P', '- - -'],
    ['a failure is sent once', '1', 'F F F F', 'FAILURE - - -'],
    ['a degradation is sent once', '1', 'D D D', 'DEGRADED - -'],
    ['the first run of a check may fail', '1', 'F P', 'FAILURE RECOVERY'],
    ['the first run of a check may degrade', '1', 'D P', 'DEGRADED DEGRADED_RECOVERY'],
    ['each episode is sent', '1', 'F P F P', 'FAILURE RECOVERY FAILURE RECOVERY'],
    [
      'a flapping check below the threshold sends no alert',
      '2',
      'F P F P',
      Array(2).fill('(threshold) (untold)').join(' '),
    ],
    [
      'a passing run resets the count',
      '3',
      'F F P F F F',
      '(threshold) - (untold) (threshold) - FAILURE_REMAIN',
    ],
    [
      'a passing run resets the count of degraded runs',
      '2',
      'D P D D',
      '(threshold) (untold) (threshold) DEGRADED_REMAIN',
    ],
    ['only the change is held back, not every run', '5', 'F F F F', '(threshold) - - -'],
    ['two runs', '2', 'F F F P P', '(threshold) FAILURE_REMAIN - RECOVERY -'],
    ['three runs', '3', 'F F F F P', '(threshold) - FAILURE_REMAIN - RECOVERY'],
    ['four runs', '4', 'F F F F F P', '(threshold) - - FAILURE_REMAIN - RECOVERY'],
    ['five runs', '5', 'F F F F F F P', '(threshold) - - - FAILURE_REMAIN - RECOVERY'],
    ['five degraded runs', '5', 'D D D D D D P', '(threshold) - - - DEGRADED_REMAIN - DEGRADED_RECOVERY'],
    [
      'up and down and up',
      '1',
      'D F D F P',
      'DEGRADED DEGRADED_FAILURE FAILURE_DEGRADED DEGRADED_FAILURE RECOVERY',
    ],
    [
      'down and up and down',
      '1',
      'F D F D P',
      'FAILURE FAILURE_DEGRADED DEGRADED_FAILURE FAILURE_DEGRADED DEGRADED_RECOVERY',
    ],
    [
      'an escalation below the threshold',
      '5',
      'D F F F F F P',
      '(threshold) DEGRADED_FAILURE - - - - RECOVERY',
    ],
    [
      'a de-escalation below the threshold',
      '5',
      'F D D D D D P',
      '(threshold) FAILURE_DEGRADED - - - - DEGRADED_RECOVERY',
    ],
    [
      'each change of an episode below the threshold',
      '5',
      'D F D F',
      '(threshold) DEGRADED_FAILURE FAILURE_DEGRADED DEGRADED_FAILURE',
    ],
    [
      'after a change the threshold sends no further alert',
      '3',
      'F D D D D',
      '(threshold) FAILURE_DEGRADED - - -',
    ],
    ['runs far apart count like others', '2', 'F .30 F', '(threshold) FAILURE_REMAIN'],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

describe('counted minutes', () => {
  const minutes = [5, 10, 15, 30]

  it.each(minutes)('%i minutes after the first run an alert is sent without another run', (after) => {
    expect(play(`${after}m`, `P F .${after + 5}`)).toBe(`- (threshold) @${after + 1}:FAILURE_REMAIN`)
    expect(play(`${after}m`, `P D .${after + 5}`)).toBe(`- (threshold) @${after + 1}:DEGRADED_REMAIN`)
  })

  it.each(minutes)('%i minutes are counted from the first run, whatever the number of runs', (after) => {
    const quiet = Array(after - 1)
      .fill('-')
      .join(' ')
    expect(play(`${after}m`, `${lasting('F', after + 3)} P`)).toBe(
      `(threshold) ${quiet} @${after}:FAILURE_REMAIN - - - RECOVERY`,
    )
    expect(play(`${after}m`, `${lasting('D', after + 3)} P`)).toBe(
      `(threshold) ${quiet} @${after}:DEGRADED_REMAIN - - - DEGRADED_RECOVERY`,
    )
  })

  it.each(minutes)('a recovery within %i minutes sends no alert', (after) => {
    expect(play(`${after}m`, `F .${after - 2} P .60`)).toBe('(threshold) (untold)')
  })

  it.each(minutes)('a passing run restarts the %i minutes', (after) => {
    expect(play(`${after}m`, `F P F .${after + 9}`)).toBe(
      `(threshold) (untold) (threshold) @${after + 2}:FAILURE_REMAIN`,
    )
  })

  it.each(minutes)('changes of an episode do not wait for the %i minutes', (after) => {
    expect(play(`${after}m`, 'D F .60 P')).toBe('(threshold) DEGRADED_FAILURE RECOVERY')
    expect(play(`${after}m`, 'F D .60 P')).toBe('(threshold) FAILURE_DEGRADED DEGRADED_RECOVERY')
  })

  it('is degraded or failing, depending on the state at that time', () => {
    expect(play('5m', 'D D D .10 F')).toBe('(threshold) - - @5:DEGRADED_REMAIN DEGRADED_FAILURE')
    expect(play('5m', 'F F .10 D P')).toBe(
      '(threshold) - @5:FAILURE_REMAIN FAILURE_DEGRADED DEGRADED_RECOVERY',
    )
  })
})

describe('settings that change during an episode', () => {
  it.each([
    [
      'a lower threshold is reached by the next run',
      '5',
      'F F =2 F P',
      '(threshold) - FAILURE_REMAIN RECOVERY',
    ],
    ['a lower threshold sends no alert of a past episode', '5', 'F F P =1 P', '(threshold) - (untold) -'],
    ['a higher threshold is counted from the first run', '2', 'F =4 F F F', '(threshold) - - FAILURE_REMAIN'],
    ['a higher threshold revokes no alert', '1', 'F =5 F F F F F P', 'FAILURE - - - - - RECOVERY'],
    ['a higher threshold sends no second alert when it is reached', '1', 'D =3 D D D', 'DEGRADED - - -'],
    [
      'from runs to minutes: since the first run',
      '3',
      'F =5m F .9 P',
      '(threshold) - @5:FAILURE_REMAIN RECOVERY',
    ],
    [
      'from runs to minutes that have passed: with the next run',
      '5',
      'F F F F . . . =5m F',
      '(threshold) - - - FAILURE_REMAIN',
    ],
    ['from minutes to runs: earlier runs count', '10m', 'F F =3 F', '(threshold) - FAILURE_REMAIN'],
    ['from minutes to runs: the old time sends no alert', '5m', 'F =3 .30', '(threshold)'],
    ['fewer minutes count from the next run on', '30m', 'F F =5m F .9', '(threshold) - - @5:FAILURE_REMAIN'],
    ['more minutes delay the alert', '5m', 'F =10m .20', '(threshold) @10:FAILURE_REMAIN'],
    ['from runs to minutes after the alert: no second alert', '1', 'F =5m F .30 P', 'FAILURE - RECOVERY'],
    [
      'a share of the locations that is required later ends the sent failure',
      '1',
      '1/5 =50% 1/5 3/5',
      'FAILURE RECOVERY FAILURE',
    ],
    [
      'a smaller share turns a passing run into a failure',
      '100%',
      '1/2 =50% 1/2',
      '(parallel_threshold) FAILURE',
    ],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

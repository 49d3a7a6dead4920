// Backlogs: runs that arrive several at once, or late. Only their final state is notified. decide.fixture.ts explains the
// notation.
import { describe, expect, it } from 'vitest'
import { play } from './decide.fixture.ts'

describe('several runs at once', () => {
  it.each([
    ['end in passing: no alert', '1', '. . FFP', '-'],
    ['end in failing', '1', '. . PFF', 'FAILURE_REMAIN'],
    ['end in the first failing run', '1', '. . FPF', 'FAILURE'],
    ['end in degraded', '1', '. . FPD', 'DEGRADED'],
    ['of a check that fails: it still does', '1', 'F . . PPF', 'FAILURE -'],
    ['of a check that fails: it passes', '1', 'F . . FPP', 'FAILURE RECOVERY'],
    ['of a check that fails: it degraded', '1', 'F . . PPD P', 'FAILURE FAILURE_DEGRADED DEGRADED_RECOVERY'],
    ['of a degraded check: it fails', '1', 'D . PF P', 'DEGRADED DEGRADED_FAILURE RECOVERY'],
    ['of a failing check: its recovery matches the sent alert', '1', 'F . DP', 'FAILURE RECOVERY'],
    ['reach the threshold together', '3', '. . FFF', 'FAILURE_REMAIN'],
    ['reach the threshold with those before', '3', 'F . FF', '(threshold) FAILURE_REMAIN'],
    ['do not reach it over a passing one', '3', 'F F . . . FPFF', '(threshold) - -'],
    ['reach it again after a passing one', '2', 'F . . PFF', '(threshold) FAILURE_REMAIN'],
    ['last long enough', '5m', '.5 FFFFFF', 'FAILURE_REMAIN'],
    ['do not last long enough yet', '5m', '.3 FFFF .9', '(threshold) @5:FAILURE_REMAIN'],
    ['end in an escalation', '5', '. DF', 'DEGRADED_FAILURE'],
    ['end in a de-escalation', '5', '. FD', 'FAILURE_DEGRADED'],
    ['leave the reminders of what goes on', '1 *2/5', 'F . . PPF .9', 'FAILURE - @5#0 @10#1'],
    ['end the reminders of what is over', '1 *2/5', 'F . . FPP .30', 'FAILURE RECOVERY'],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

describe('late runs', () => {
  it.each([
    ['are notified when they have settled', '1', 'f .', '- @0:20:FAILURE'],
    ['that pass send no alert', '1', 'p .', '-'],
    ['that degrade', '1', 'd .', '- @0:20:DEGRADED'],
    ['that fail and pass send no alert', '1', 'f~p .', '- -'],
    ['that pass and fail', '1', 'p~f .', '- - @0:20:FAILURE'],
    ['include those that arrive before they settle', '1', 'f~f~f .', '- - - @0:20:FAILURE_REMAIN'],
    ['several at once', '1', '. . ppf .', '- @2:20:FAILURE'],
    ['are settled by one in time', '1', 'f~F .', '- FAILURE_REMAIN'],
    ['of a check that fails: it still does', '1', 'F f . P', 'FAILURE - RECOVERY'],
    ['of a check that fails: it passes', '1', 'F p .', 'FAILURE - @1:20:RECOVERY'],
    ['of a check that fails: it passed, and fails in time', '1', 'F p~F P', 'FAILURE - - RECOVERY'],
    ['of a check that fails: it passed, and passes in time', '1', 'F p~P', 'FAILURE - RECOVERY'],
    ['of a check that fails: it passed and degraded', '1', 'F p~d .', 'FAILURE - - @1:20:FAILURE_DEGRADED'],
    ['of a check that fails: it degraded and passed', '1', 'F d~p .', 'FAILURE - - @1:20:RECOVERY'],
    ['of a degraded check: it fails', '1', 'D f .', 'DEGRADED - @1:20:DEGRADED_FAILURE'],
    [
      'of a degraded check: it passed, and fails in time',
      '1',
      'D p~F P',
      'DEGRADED - DEGRADED_FAILURE RECOVERY',
    ],
    ['reach the threshold', '3', 'f~f~f .', '- - - @0:20:FAILURE_REMAIN'],
    ['do not reach the threshold', '3', 'f~f . P', '- - (untold)'],
    ['reach the threshold with one in time', '2', 'f F', '- FAILURE_REMAIN'],
    ['begin the count again', '2', 'F p F', '(threshold) - (threshold)'],
    ['have lasted long enough when they have settled', '5m', '.6 fffffff .', '- @6:20:FAILURE_REMAIN'],
    ['are notified when they have lasted long enough', '5m', 'f .9', '- @5:FAILURE_REMAIN'],
    [
      'delay an escalation by time until they settle',
      '5m',
      'F . . . F~~~~~~~~~~f~~~p .',
      '(threshold) - - -',
    ],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })

  it('are notified although more of them keep arriving', () => {
    // One every ten seconds, for ten minutes.
    const outcome = play('1', Array(10).fill('f~~f~~f~~f~~f~~f').join(' '))
    expect(outcome).toContain('FAILURE')
  })
})

describe('late runs and reminders', () => {
  it.each([
    ['a failure that persists is repeated', '1 *2/5', 'F f . . . . .9', 'FAILURE - @5#0 @10#1'],
    ['an ended failure is not repeated', '1 *2/1', 'F~~~~p .9', 'FAILURE - @0:40:RECOVERY'],
    ['reminders count from the alert', '1 *1/5', 'f .9', '- @0:20:FAILURE @5:20#0'],
    ['an escalation restarts them', '1 *1/5', 'D f .9', 'DEGRADED - @1:20:DEGRADED_FAILURE @6:20#0'],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })

  it('a reminder that falls due before a late passing run has settled does not end them', () => {
    // Due at 1:00; the passing run comes at 0:50, and at 1:05 a failing one.
    expect(play('1 *2/1', 'F~~~~~~~~~~p~~~F .5')).toMatch(/#0.*#1$/)
  })
})

describe('late runs and silence', () => {
  it.each([
    ['muted when they arrive, lifted when they settle: sent', '1', 'muted f lifted .', '- @0:20:FAILURE'],
    [
      'muted when they settle: held, and never sent',
      '1',
      'f muted . lifted F F P',
      '- @0:20:(muted) - - (untold)',
    ],
    ['a recovery that settles in silence is held', '1', 'F p muted . lifted P', 'FAILURE - @1:20:(muted) -'],
    [
      'a recovery that arrived in silence and settles later is sent',
      '1',
      'F muted p lifted .',
      'FAILURE - @1:20:RECOVERY',
    ],
    ['a silenced failure that is over is not sent', '1', 'muted F lifted p .', '(muted) -'],
    ['after a silenced failure, the next one is new', '1', 'muted F lifted p~F', '(muted) - FAILURE'],
    ['a silenced failure that persists is not sent', '1', 'muted F lifted f .', '(muted) -'],
    [
      'an escalation of a silenced degradation is sent',
      '1',
      'muted D lifted f . P',
      '(muted) - @1:20:DEGRADED_FAILURE RECOVERY',
    ],
    [
      'a sent failure persists behind a late passing run',
      '1',
      'F muted p~F lifted P',
      'FAILURE - - RECOVERY',
    ],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

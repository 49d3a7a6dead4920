import { expect, it } from 'vitest'
import { addProgress, noProgress, type TestRun } from './test-progress.ts'

const run = (sequenceId: string, state: TestRun['state']): TestRun => ({
  ...{ testSessionResultId: `result-${sequenceId}`, sequenceId, checkId: null, checkType: 'BROWSER' },
  ...{ name: 'Shop', runLocation: 'eu-west-1', state, attempt: 1, agentName: null, status: 'RUNNING' },
  ...{ responseTime: null, startedAt: null, stoppedAt: null, scheduleError: null },
})
const line = (msg: string) => ({ time: 1, level: 'INFO', msg })
const message = { status: 'RUNNING' as const, stoppedAt: null }

it('keeps runs in their order while they change', () => {
  const first = addProgress(noProgress, {
    ...message,
    runs: [run('a', 'waiting'), run('b', 'waiting')],
    logs: [],
  })
  const second = addProgress(first, { ...message, runs: [run('a', 'running')], logs: [] })
  expect([...second.runs.values()].map(({ sequenceId, state }) => `${sequenceId} ${state}`)).toEqual([
    'a running',
    'b waiting',
  ])
})

it('adds lines of the same attempt, and begins again with the next one', () => {
  const log = (attempt: number, text: string) => ({
    ...message,
    runs: [],
    logs: [{ sequenceId: 'a', attempt, lines: [line(text)] }],
  })
  const two = [log(1, 'one'), log(1, 'two')].reduce(addProgress, noProgress)
  expect(two.logs.get('a')?.lines.map(({ msg }) => msg)).toEqual(['one', 'two'])
  const again = addProgress(two, log(2, 'three'))
  expect(again.logs.get('a')).toEqual({ attempt: 2, lines: [line('three')] })
})

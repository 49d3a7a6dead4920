import { describe, expect, it, vi } from 'vitest'
import TestReport, { countTests, slowestFiles } from './test-report.mjs'

function fileOf(relativeModuleId, duration, collectDuration = 0) {
  return { relativeModuleId, diagnostic: () => ({ duration, collectDuration, setupDuration: 100 }) }
}

describe('the slowest files', () => {
  it('are those whose tests and imports took longest', () => {
    const files = [fileOf('quick', 100), fileOf('slow', 4_000, 900), fileOf('slower', 900, 5_000)]
    expect(slowestFiles(files)).toEqual([
      '   0.9    5.1  slower',
      '   4.0    1.0  slow',
      '   0.1    0.1  quick',
    ])
  })

  it('are 20', () => {
    const files = Array.from({ length: 30 }, (_, index) => fileOf(`file ${index}`, index))
    expect(slowestFiles(files)).toHaveLength(20)
  })
})

describe('a failure', () => {
  const module = { relativeModuleId: 'a.test.ts' }
  const end = (result) =>
    new TestReport().onTestCaseResult({ module, fullName: 'group > name', result: () => result })

  it('is printed when its test ends, with its reason', () => {
    const print = vi.spyOn(console, 'log').mockReturnValue()
    end({ state: 'passed', errors: undefined })
    end({ state: 'failed', errors: [{ message: 'expected 1\n  to be 2' }] })
    expect(print.mock.calls).toEqual([['failed: a.test.ts > group > name: expected 1']])
    print.mockRestore()
  })
})

function moduleOf(states, { state = 'passed', filter = [], tags = [] } = {}) {
  const project = { config: { tagsFilter: filter } }
  const tests = states.map((state) => ({ fullName: 'a test', tags, project, result: () => ({ state }) }))
  return { relativeModuleId: 'a file', state: () => state, children: { allTests: () => tests } }
}

describe('the counts', () => {
  it('are of passed, failed and skipped tests', () => {
    expect(countTests([moduleOf(['passed', 'skipped']), moduleOf(['passed', 'failed'])])).toEqual({
      passed: 2,
      failed: 1,
      skipped: ['a file: a test'],
    })
  })

  it('have a failure for a file that fails without a failed test', () => {
    const files = [moduleOf([], { state: 'failed' }), moduleOf(['failed'], { state: 'failed' })]
    expect(countTests(files)).toMatchObject({ failed: 2 })
  })

  it('have a failure for a file that did not end', () => {
    const files = [moduleOf(['passed', 'pending'], { state: 'pending' }), moduleOf([], { state: 'queued' })]
    expect(countTests(files)).toMatchObject({ passed: 1, failed: 2 })
  })

  it('have no test that the tags of its project leave out', () => {
    const story = moduleOf(['skipped'], { filter: ['!story'], tags: ['story'] })
    const short = moduleOf(['skipped'], { filter: ['story'] })
    expect(countTests([story, short])).toEqual({ passed: 0, failed: 0, skipped: [] })
    const needy = moduleOf(['skipped'], { filter: ['!story'] })
    expect(countTests([needy])).toMatchObject({ skipped: ['a file: a test'] })
  })
})

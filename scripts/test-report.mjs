// A reporter of Vitest: prints failures as they happen, since the others come when their file ends, and the files that took
// longest. Writes the counts to the file that TEST_REPORT names.
import { writeFileSync } from 'node:fs'

const shownFiles = 20

export default class TestReport {
  onTestCaseResult(test) {
    const { state, errors } = test.result()
    if (state !== 'failed') return
    const [reason = ''] = (errors[0]?.message ?? '').split('\n')
    console.log(`failed: ${test.module.relativeModuleId} > ${test.fullName}: ${reason}`)
  }

  onTestRunEnd(modules) {
    if (modules.length > 1) {
      console.log('\nThe slowest files (seconds: tests with their hooks, imports):')
      for (const line of slowestFiles(modules)) console.log(line)
    }
    if (process.env.TEST_REPORT) writeFileSync(process.env.TEST_REPORT, JSON.stringify(countTests(modules)))
  }
}

export function slowestFiles(modules) {
  return modules
    .map((module) => ({ name: module.relativeModuleId, ...secondsOf(module.diagnostic()) }))
    .sort((a, b) => b.tests + b.imports - a.tests - a.imports)
    .slice(0, shownFiles)
    .map(({ name, tests, imports }) => `${format(tests)} ${format(imports)}  ${name}`)
}

function secondsOf({ duration, collectDuration, setupDuration }) {
  return { tests: duration / 1000, imports: (collectDuration + setupDuration) / 1000 }
}

function format(seconds) {
  return seconds.toFixed(1).padStart(6)
}

/** Tests that the tags of their project leave out aren't counted: they run in another project. */
export function countTests(modules) {
  const counts = { passed: 0, failed: 0, skipped: [] }
  for (const module of modules) {
    const failedBefore = counts.failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed' || state === 'failed') counts[state] += 1
      else if (!isLeftOut(test)) counts.skipped.push(`${module.relativeModuleId}: ${test.fullName}`)
    }
    // A file that could not be read, whose hooks failed, or whose process ended, is a failure without a failed test.
    if (!isComplete(module.state()) && counts.failed === failedBefore) counts.failed += 1
  }
  return counts
}

function isComplete(state) {
  return state === 'passed' || state === 'skipped'
}

function isLeftOut({ tags, project }) {
  const filter = project.config.tagsFilter ?? []
  const isStory = tags.includes('story')
  return isStory ? filter.includes('!story') : filter.includes('story')
}

// Reports the outcome of every test to the agent, in addition to the runner's own JSON report.
'use strict'
const fs = require('node:fs')

const { notes } = require('./paths.cjs')

const maxTests = 1_000
const maxSteps = 50

module.exports = class {
  constructor() {
    this.tests = new Map()
    this.errors = []
    this.soft = new Map()
  }

  printsToStdio() {
    return true
  }

  onStdOut(chunk) {
    process.stdout.write(chunk)
  }

  onStdErr(chunk) {
    process.stderr.write(chunk)
  }

  onError(error) {
    this.errors.push(describe(error))
  }

  onStepEnd(_test, result, step) {
    if (step.category !== 'expect' || !step.error || !/\bsoft\b/.test(step.title)) return
    const messages = this.soft.get(result) ?? []
    messages.push(step.error.message)
    this.soft.set(result, messages)
  }

  onTestEnd(test, result) {
    if (this.tests.size >= maxTests && !this.tests.has(test.id)) return
    const soft = this.soft.get(result) ?? []
    // The last attempt counts: earlier failures make the test flaky.
    this.tests.set(test.id, {
      id: test.id,
      title: test.title,
      titlePath: test.titlePath().slice(1),
      file: test.location.file,
      line: test.location.line,
      project: test.parent.project()?.name ?? '',
      outcome: test.outcome(),
      status: result.status,
      expected: test.expectedStatus,
      retry: result.retry,
      duration: result.duration,
      errors: result.errors.map((error) => ({ ...describe(error), isSoft: soft.includes(error.message) })),
      attachments: result.attachments.map(({ name, contentType, path }) => ({ name, contentType, path })),
      steps: stepsOf(result.steps),
    })
  }

  onEnd({ status }) {
    fs.writeFileSync(
      `${notes}/tests.json`,
      JSON.stringify({ status, tests: [...this.tests.values()], errors: this.errors }),
    )
  }
}

function describe({ message = '', stack = '', value, snippet }) {
  return { message: message || String(value ?? ''), stack, ...(snippet && { snippet }) }
}

/** Those that the test names with `test.step`, also inside others. */
function stepsOf(steps, titles = [], found = []) {
  for (const { title, category, duration, error, steps: inner } of steps) {
    if (found.length >= maxSteps) break
    const isNamed = category === 'test.step'
    const path = isNamed ? [...titles, title] : titles
    if (isNamed) found.push({ title: path.join(' › '), duration, hasFailed: error !== undefined })
    stepsOf(inner, path, found)
  }
  return found
}

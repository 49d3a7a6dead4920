// Writes each attempt of a test as a line as soon as it ends, so that an interrupted run still reports its tests. For suites and for
// scripts of checks.
const fs = require('node:fs')
const path = require('node:path')
const { stripVTControlCharacters } = require('node:util')

const maxText = 16_000
const maxErrors = 20
const maxAttachments = 50
const maxSteps = 50
/** Before a worker in this process replaces them. */
const print = {
  stdout: process.stdout.write.bind(process.stdout),
  stderr: process.stderr.write.bind(process.stderr),
}

module.exports = class SuiteReporter {
  /** `isAlone`: no other reporter prints the output of tests. */
  constructor({ results, isAlone = false }) {
    this.file = results
    this.isAlone = isAlone
  }

  printsToStdio() {
    return this.isAlone
  }

  onStdOut(chunk) {
    if (this.isAlone) print.stdout(chunk)
  }

  onStdErr(chunk) {
    if (this.isAlone) print.stderr(chunk)
  }

  onBegin(config, suite) {
    this.rootDir = config.rootDir
    this.suite = suite
    this.write({ kind: 'begin', tests: suite.allTests().length, html: htmlReport(config) })
  }

  onTestEnd(test, result) {
    const [, projectName, , ...titles] = test.titlePath()
    this.write({
      kind: 'result',
      id: test.id,
      title: truncate(test.title),
      suitePath: titles.slice(0, -1).map(truncate),
      projectName,
      file: path.relative(this.rootDir, test.location.file),
      line: test.location.line,
      status: result.status,
      expectedStatus: test.expectedStatus,
      retry: result.retry,
      startTime: result.startTime.getTime(),
      duration: result.duration,
      errors: describeErrors(result),
      steps: stepsOf(result.steps),
      attachments: result.attachments
        .filter((one) => typeof one.path === 'string')
        .slice(0, maxAttachments)
        .map(({ name, contentType, path: file }) => ({
          name: truncate(name),
          contentType,
          path: path.resolve(file),
        })),
    })
  }

  onError(error) {
    this.write({ kind: 'error', ...describeError(error) })
  }

  onEnd({ status }) {
    const outcomes = Object.fromEntries(
      (this.suite?.allTests() ?? []).map((test) => [test.id, test.outcome()]),
    )
    this.write({ kind: 'end', status, outcomes })
  }

  write(line) {
    fs.appendFileSync(this.file, `${JSON.stringify(line)}\n`)
  }
}

function describeError({ message, stack, value }) {
  return { message: truncate(message ?? value ?? 'an error without a message'), stack: truncate(stack ?? '') }
}

/** The mark lets the agent find truncated secrets. */
const truncate = (text) =>
  String(text).length > maxText ? `${String(text).slice(0, maxText)}…` : String(text)

/** Those that the test names with `test.step`, also inside others. */
function stepsOf(steps, titles = [], found = []) {
  for (const { title, category, duration, error, steps: inner } of steps) {
    if (found.length >= maxSteps) break
    const isNamed = category === 'test.step'
    const path = isNamed ? [...titles, title] : titles
    if (isNamed) found.push({ title: truncate(path.join(' › ')), duration, hasFailed: error !== undefined })
    stepsOf(inner, path, found)
  }
  return found
}

/** A test runs on after soft assertions. */
function describeErrors({ errors, steps }) {
  const soft = new Set(softErrors(steps).map(({ message }) => message))
  const isSoft = ({ message, snippet }) =>
    soft.has(message) || /^>.*\.soft\s*\(/m.test(stripVTControlCharacters(snippet ?? ''))
  return errors.slice(0, maxErrors).map((error) => ({ ...describeError(error), isSoft: isSoft(error) }))
}

/** Custom titles hide the word `soft`; then the source line shows it. */
function softErrors(steps) {
  return steps.flatMap(({ title, category, error, steps: inner }) => {
    const isSoft = category === 'expect' && /^(expect\.(poll )?\.?soft\b|Expect "(poll )?soft )/.test(title)
    return [...(isSoft && error ? [error] : []), ...softErrors(inner)]
  })
}

function htmlReport({ reporter, configFile, rootDir }) {
  const found = reporter.find(([name]) => name === 'html')
  if (!found) return null
  const folder = configFile ? path.dirname(configFile) : rootDir
  const own = process.env.PLAYWRIGHT_HTML_OUTPUT_DIR ?? process.env.PLAYWRIGHT_HTML_REPORT
  return path.resolve(folder, own ?? found[1]?.outputFolder ?? 'playwright-report')
}

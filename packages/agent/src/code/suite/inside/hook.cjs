// Preloaded into every Node process of a suite's cell, and active only in the genuine test runner, however it was started (npx, a
// package script, a build tool). There it passes a configuration that wraps the suite's own.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

const settings = process.env.VEDETTE_SUITE
const [, program = '', command] = process.argv

if (settings && command === 'test' && isTestRunner(program)) {
  try {
    wrapConfig(JSON.parse(settings))
  } catch (error) {
    // The suite runs without our reporter.
    process.stderr.write(`The suite's configuration couldn't be wrapped: ${error.message}\n`)
  }
}

function isTestRunner(file) {
  const runner = /[\\/](@playwright[\\/]test|playwright)[\\/]cli\.js$/
  return fs.existsSync(file) && runner.test(fs.realpathSync(file))
}

function wrapConfig({ inside, report, userAgentSuffix, hasVideo }) {
  const args = process.argv.slice(3)
  const options = {
    '--config': takeOption(args, '--config', '-c'),
    '--reporter': takeOption(args, '--reporter'),
  }
  takeOption(args, '--trace')
  const { file, folder } = findConfig(options['--config'])
  const number = fs.readdirSync(report).filter((name) => /^report(-\d+)?\.json$/.test(name)).length
  const values = {
    cliReporter: options['--reporter'] === undefined ? null : cliReporters(options['--reporter']),
    reporter: path.join(inside, 'reporter.cjs'),
    results: path.join(report, 'results.jsonl'),
    jsonReport: path.join(report, number === 0 ? 'report.json' : `report-${number + 1}.json`),
    userAgentSuffix,
    defaultUserAgent: desktopUserAgent(),
    hasVideo,
  }
  // Reserves the name: one command may run several runners.
  fs.writeFileSync(values.jsonReport, '')
  const extension = file ? path.extname(file) : '.mjs'
  const wrapper = path.join(folder, `playwright.vedette-${process.pid}.config${extension}`)
  fs.writeFileSync(wrapper, wrapperText(file, path.join(inside, 'wrap-config.cjs'), values))
  process.once('exit', () => fs.rmSync(wrapper, { force: true }))
  process.argv.splice(3, process.argv.length, '--config', wrapper, ...args)
}

/** Removes the option and returns its last value, like the runner. Arguments after `--` aren't options. */
function takeOption(args, long, short) {
  let value
  for (let at = 0; at < args.length && args[at] !== '--'; ) {
    const arg = args[at]
    if (arg === long || arg === short) [, value] = args.splice(at, 2)
    else if (arg.startsWith(`${long}=`)) value = args.splice(at, 1)[0].slice(long.length + 1)
    else if (short && /^-[^-]/.test(arg) && arg.startsWith(short)) value = args.splice(at, 1)[0].slice(2)
    else at += 1
  }
  return value
}

function findConfig(given) {
  const found = path.resolve(given ?? '.')
  if (!fs.statSync(found).isDirectory()) return { file: found, folder: path.dirname(found) }
  const names = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'].map((ext) => `playwright.config${ext}`)
  const name = names.find((one) => fs.existsSync(path.join(found, one)))
  return { file: name ? path.join(found, name) : null, folder: found }
}

/** Names of built-in reporters stay; others are files relative to the working directory. */
function cliReporters(text) {
  return text.split(',').map((name) => [fs.existsSync(path.resolve(name)) ? path.resolve(name) : name])
}

function wrapperText(file, wrap, values) {
  const given = JSON.stringify(values)
  const own = file ? `./${path.basename(file)}` : null
  if (/\.c[jt]s$/.test(file ?? ''))
    return `module.exports = require(${JSON.stringify(wrap)})(require(${JSON.stringify(own)}), ${given})\n`
  const importOwn = own ? `import config from ${JSON.stringify(own)}` : 'const config = {}'
  return `import wrap from ${JSON.stringify(wrap)}\n${importOwn}\nexport default wrap(config, ${given})\n`
}

/** Of the suite's own version of Playwright. */
function desktopUserAgent() {
  const fromRunner = createRequire(fs.realpathSync(program))
  for (const find of [() => fromRunner, () => createRequire(fromRunner.resolve('playwright/package.json'))]) {
    try {
      return find()('playwright-core').devices['Desktop Chrome'].userAgent
    } catch {
      // In some package layouts only the next one can resolve it.
    }
  }
  return null
}

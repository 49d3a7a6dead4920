// Loaded into every Node process of a suite's cell, and silent in all but one: the genuine test runner, whoever started it
// (npx, a package script, a build tool). There it hands over a configuration that wraps the suite's own.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

const settings = process.env.VEDETTE_SUITE
const [, program = '', command] = process.argv

if (settings && command === 'test' && isTestRunner(program)) {
  try {
    wrapConfig(JSON.parse(settings))
  } catch (error) {
    // The suite runs as it is; what it leaves is told without a report.
    process.stderr.write(`The suite's configuration could not be wrapped: ${error.message}\n`)
  }
}

function isTestRunner(file) {
  try {
    return /[\\/](@playwright[\\/]test|playwright)[\\/]cli\.js$/.test(fs.realpathSync(file))
  } catch {
    return false
  }
}

function wrapConfig({ inside, report, userAgentSuffix, hasVideo }) {
  const args = process.argv.slice(3)
  const asked = {
    '--config': takeOption(args, '--config', '-c'),
    '--reporter': takeOption(args, '--reporter'),
  }
  takeOption(args, '--trace')
  const { file, folder } = findConfig(asked['--config'])
  const number = fs.readdirSync(report).filter((name) => /^report(-\d+)?\.json$/.test(name)).length
  const values = {
    cliReporter: asked['--reporter'] === undefined ? null : cliReporters(asked['--reporter']),
    reporter: path.join(inside, 'reporter.cjs'),
    results: path.join(report, 'results.jsonl'),
    jsonReport: path.join(report, number === 0 ? 'report.json' : `report-${number + 1}.json`),
    userAgentSuffix,
    defaultUserAgent: desktopUserAgent(),
    hasVideo,
  }
  // Kept free for the second of several runners in one command.
  fs.writeFileSync(values.jsonReport, '')
  const extension = file ? path.extname(file) : '.mjs'
  const wrapper = path.join(folder, `playwright.vedette-${process.pid}.config${extension}`)
  fs.writeFileSync(wrapper, wrapperText(file, path.join(inside, 'wrap-config.cjs'), values))
  process.once('exit', () => fs.rmSync(wrapper, { force: true }))
  process.argv.splice(3, process.argv.length, '--config', wrapper, ...args)
}

/** Removes it; its last value, as the runner would take it. What follows `--` is no option. */
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

function findConfig(asked) {
  const place = path.resolve(asked ?? '.')
  if (!fs.statSync(place).isDirectory()) return { file: place, folder: path.dirname(place) }
  const names = ['.ts', '.js', '.mts', '.mjs', '.cts', '.cjs'].map((ext) => `playwright.config${ext}`)
  const name = names.find((one) => fs.existsSync(path.join(place, one)))
  return { file: name ? path.join(place, name) : null, folder: place }
}

/** Names of the runner's own stay; others are files, seen from the folder of the command. */
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

/** Of the suite's own version. */
function desktopUserAgent() {
  const fromRunner = createRequire(fs.realpathSync(program))
  for (const find of [() => fromRunner, () => createRequire(fromRunner.resolve('playwright/package.json'))]) {
    try {
      return find()('playwright-core').devices['Desktop Chrome'].userAgent
    } catch {
      // Packages may be laid out so that only the next one sees it.
    }
  }
  return null
}

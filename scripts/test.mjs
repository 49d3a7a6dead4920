// npm test: all tests but the stories. npm run stories: the stories. The counts are the last line.
// Plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'
import { ensureBuilt } from './build-web.mjs'
import { compileCache, ensureInstalled, serviceNode } from './install.mjs'
import { ensureRuntimeInstalled } from './runtime.mjs'
import { ensureTestTools } from './test-tools.mjs'

const [isStories, args] =
  process.argv[2] === '--stories' ? [true, process.argv.slice(3)] : [false, process.argv.slice(2)]
const root = fileURLToPath(new URL('..', import.meta.url))

await ensureInstalled()
// Once for all that the tests start; what is missing fails the tests that need it.
ensureRuntimeInstalled()
ensureBuilt()
await ensureBrowser()
await ensureTestTools({ isStories })
const folder = mkdtempSync(join(tmpdir(), 'vedette-test-'))
try {
  const report = join(folder, 'report.json')
  const code = await runVitest(report)
  const { passed, failed, skipped } = readReport(report)
  if (code !== 0 && failed === 0)
    console.log(`\nvitest ended with ${code} although no test failed: see above`)
  if (passed + failed === 0) console.log('\nno test ran')
  if (skipped.length > 0 && args.length === 0) console.log(`\nSkipped:\n${skipped.join('\n')}`)
  process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`)
} finally {
  rmSync(folder, { recursive: true })
}

function runVitest(report) {
  const own = ['test-report', 'hung-tests'].map(
    (name) => `--reporter=${join(root, 'scripts', `${name}.mjs`)}`,
  )
  const reporters = ['--reporter=default', ...own]
  const projects = isStories ? ['stories', 'tagged'] : ['unit', 'api', 'process']
  const chosen = args.includes('--project') ? [] : projects.map((name) => `--project=${name}`)
  // Stories start browsers and whole installations: more of them at once only wait for each other.
  const workers = isStories ? ['--maxWorkers=3'] : []
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(serviceNode(), [vitest, 'run', ...reporters, ...workers, ...chosen, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE: compileCache,
      ...process.env,
      VEDETTE_INSTALL_BROWSER: 'off',
      TEST_REPORT: report,
    },
  })
  // A terminal sends Ctrl-C to vitest too; stay for its report.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    console.log('\nvitest left no report')
    return { passed: 0, failed: 0, skipped: [] }
  }
}

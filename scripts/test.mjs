// npm test: every test, the counts as the last line. Plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'
import { ensureInstalled, serviceNode } from './install.mjs'
import { ensureRuntimeInstalled } from './runtime.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

await ensureInstalled()
// Once for all that the tests start; what is missing fails the tests that need it.
ensureRuntimeInstalled()
await ensureBrowser()
const folder = mkdtempSync(join(tmpdir(), 'vedette-test-'))
try {
  const report = join(folder, 'report.json')
  const code = await runVitest(report)
  const { passed, failed, skipped } = count(report)
  if (code !== 0 && failed === 0)
    console.log(`\nvitest ended with ${code} although no test failed: see above`)
  if (passed + failed === 0) console.log('\nno test ran')
  process.exitCode = code === 0 && failed === 0 && passed > 0 ? 0 : 1
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
} finally {
  rmSync(folder, { recursive: true })
}

function runVitest(report) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(serviceNode(), [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, VEDETTE_INSTALL_BROWSER: 'off' },
  })
  // A terminal sends Ctrl-C to vitest too; stay for its report.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
}

function count(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of readReport(report)) {
    const failedBefore = counts.failed
    for (const { status } of file.assertionResults) {
      counts[status === 'passed' || status === 'failed' ? status : 'skipped'] += 1
    }
    // A file that could not be read, or whose hooks failed, is a failure without a failed test.
    if (file.status === 'failed' && counts.failed === failedBefore) counts.failed += 1
  }
  return counts
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults
  } catch {
    console.log('\nvitest left no report')
    return []
  }
}

// Runs a browser or multi-step check: writes its files into a cell, runs its script with the runtime's Playwright, and collects
// verdict, evidence and files, which still contain secrets.

import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { collectFiles } from '../../artifacts/collect-files.ts'
import { dial } from '../../net/dial.ts'
import { daysRemaining } from '../../net/tls.ts'
import type { CodeContext, CodeOutcome, CodeRunner } from '../code-runner.ts'
import { scriptEnvironment } from '../job-environment.ts'
import { OutputLog } from '../output-log.ts'
import { plain } from '../playwright-messages.ts'
import type { ReportedTest } from '../test-report.ts'
import { waitForEnd } from '../wait-for-end.ts'
import { provideCompiled } from './compiled-scripts.ts'
import { linkModules, type ScriptHost, type ScriptStyle, scriptOrder } from './host.ts'
import { nameFailures, nameMissingBrowser } from './name-failures.ts'
import { pageEvents } from './page-events.ts'
import { readRunFiles } from './run-files.ts'
import type { ScriptHosts } from './script-host.ts'
import { type DownloadSnapshot, scriptSettings, writeSnapshots } from './snapshots.ts'
import { type ScriptVerdict, scriptVerdict, titlePathOf } from './verdict.ts'
import { styleOf, type Workspace, writeWorkspace } from './workspace.ts'

/** Wire facts 7. */
const scriptLimitMs = 240_000
const maxTailChars = 1_000
const maxTests = 1_000

interface Runtime {
  hosts: ScriptHosts
  runtimeName: string
}

export interface ScriptDeps {
  /** The hosts of the runtime; throws with a message for the user if it isn't installed. */
  hostsOf(job: Pick<Job, 'runtimeId' | 'checkType'>, signal: AbortSignal): Promise<Runtime>
  /** Called when the host of a run has ended. */
  onReleased?(job: Job, style: ScriptStyle): void
  limitMs?: number
  /** Absent: checks can't have snapshots. */
  downloadSnapshot?: DownloadSnapshot
}

export function scriptRunner(deps: ScriptDeps): CodeRunner {
  return async (job, context) => {
    const runtime = await deps.hostsOf(job, context.signal)
    const kind = { style: styleOf(job), usesBrowser: usesBrowser(job) }
    const host = await runtime.hosts.take(context.signal, kind)
    const release = async () => {
      await host.cell.end()
      await host.cell.remove()
      deps.onReleased?.(job, kind.style)
    }
    try {
      return { ...(await runIn(host, job, context, deps, runtime)), release }
    } catch (error) {
      await release()
      throw error
    }
  }
}

async function runIn(
  host: ScriptHost,
  job: Job,
  context: CodeContext,
  { limitMs = scriptLimitMs, downloadSnapshot }: ScriptDeps,
  { hosts, runtimeName }: Runtime,
): Promise<Omit<CodeOutcome, 'release'>> {
  const { clock, signal } = context
  const { cell } = host
  const log = new OutputLog(context)
  const workspace = writeWorkspace(cell.folder, job)
  const settings = scriptSettings(job.check)
  const snapshots = await writeSnapshots(cell.folder, job.token, settings.snapshots, downloadSnapshot, signal)
  const compiled = provideCompiled(hosts.compiled, host, job, workspace)
  linkModules(host)
  await cell.chown()
  const startTime = clock.now()
  const begin = clock.monotonic()
  host.onOutput = compiled.listen(log.write)
  const certificate = certificateDays(job.check, context).catch(() => null)
  const { playwrightConfig, updatesSnapshots } = settings
  const config = { evidence: evidenceOf(job), playwrightConfig, updatesSnapshots }
  host.program.write(
    scriptOrder(host, workspace, {
      usesBrowser: usesBrowser(job),
      wantsCompiled: compiled.isWanted,
      env: scriptEnvironment(job),
      config,
    }),
  )
  const end = await waitForEnd(cell, host.program, limitMs, signal)
  const responseTimeMs = clock.monotonic() - begin
  await cell.end()
  const failures = cell.connectionFailures()
  const { tests, error, degraded, secrets, ...written } = await readRunFiles(cell.folder, (text) =>
    nameFailures(nameMissingBrowser(plain(text)), failures),
  )
  const evidence = { mode: workspace.mode, end, tests, error, degraded, lastOutput: log.tail(maxTailChars) }
  const verdict = end.isTimedOut ? timeoutVerdict(limitMs) : scriptVerdict(evidence)
  const events = pageEvents(written.events)
  for (const line of events.lines) log.note(nameFailures(line, failures), 'WARN')
  const { files, left } = end.isTimedOut
    ? { files: [], left: [] }
    : await collectOutput(cell.folder, {
        ...workspace,
        // Updated ones are files of the run: the client downloads them.
        written: [...workspace.written, ...(updatesSnapshots ? [] : snapshots)],
      })
  for (const line of left) log.note(line, 'WARN')
  return {
    outcome: verdict.outcome,
    failure: verdict.failure,
    responseTimeMs,
    metrics: { ...vitalsOf(events.pages), ...(end.isTimedOut ? {} : events.traceSummary) },
    sslDaysRemaining: await certificate,
    detail: {
      type: workspace.mode === 'test' ? 'PLAYWRIGHT_TEST' : 'PLAYWRIGHT',
      errors: verdict.errors,
      startTime: Math.round(startTime),
      endTime: Math.round(startTime + responseTimeMs),
      runtimeVersion: runtimeName,
      ...(job.checkType === 'BROWSER' && { traceSummary: events.traceSummary, pages: events.pages }),
      ...(tests && { tests: tests.tests.slice(0, maxTests).map((test) => describeTest(test, cell.work)) }),
      ...(degraded && { degraded }),
    },
    log: log.lines(),
    files,
    foundSecrets: secrets,
  }
}

/** The last attempt counts: earlier failures make the test flaky. */
function describeTest(test: ReportedTest, folder: string) {
  const { id, title, file, line, projectName: project, outcome, attempts } = test
  const { status, expectedStatus: expected, retry, duration, attachments, steps } = attempts.at(-1) ?? {}
  const run = { outcome, status, expected, retry, duration, attachments, steps }
  return { id, title, titlePath: titlePathOf(test), file: join(folder, file), line, project, ...run }
}

const usesBrowser = (job: Job) => job.checkType !== 'MULTI_STEP'

function evidenceOf(job: Job): Record<string, string> {
  // More evidence for retries and test sessions.
  const isExamined = job.attempt > 1 || job.source === 'test'
  return {
    ...(isExamined && { video: 'retain-on-failure' }),
    ...('keepEvidence' in job.check &&
      job.check.keepEvidence === 'ALWAYS' && { trace: 'on', screenshot: 'on' }),
  }
}

function timeoutVerdict(limitMs: number): ScriptVerdict {
  const message = `The script ran longer than the maximum run time of ${limitMs} ms and was ended.`
  return {
    outcome: 'failed',
    failure: { kind: 'timeout', phase: 'wait', message },
    errors: [{ message, stack: '' }],
  }
}

function vitalsOf(pages: ReturnType<typeof pageEvents>['pages']): Record<string, number> {
  const vitals = pages[0]?.webVitals ?? {}
  return Object.fromEntries(Object.entries(vitals).map(([name, { value }]) => [name, value]))
}

async function collectOutput(folder: string, { file, written }: Workspace) {
  // node_modules: see linkModules.
  const unwanted = new Set([...written, ...asModules(file), 'degraded.json', 'node_modules'])
  return collectFiles(folder, {
    isWanted: (path) =>
      !unwanted.has(path) &&
      !path.startsWith('snippets/') &&
      (!path.startsWith('.vedette/') || isEvidence(path)),
    nameOf: (path) => path.replace(/^\.vedette\/(?:test-results\/)?/, ''),
  })
}

/** See programs/plain-script.cjs. */
const asModules = (file: string) =>
  ['mjs', 'mts'].map((extension) => file.replace(/(?:\.[cm]?[jt]sx?)?$/, `.${extension}`))

const isEvidence = (path: string) =>
  (path.startsWith('.vedette/test-results/') && !path.endsWith('/.last-run.json')) ||
  path === '.vedette/report.json'

const timeoutMs = 10_000

/** Null: no certificate or no response, which doesn't fail the check. */
async function certificateDays(check: Job['check'], context: CodeContext): Promise<number | null> {
  const domain = ('sslCheckDomain' in check && check.sslCheckDomain?.trim()) || ''
  const target = domain === '' ? null : targetOf(domain)
  if (target === null) return null
  const { network, lookup, clock } = context
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)])
  const rules = { network, lookup, signal, monotonic: () => clock.monotonic() }
  const dialled = await dial({ ...target, ipFamily: 'IPv4', tls: { verify: false } }, rules)
  if (!dialled.failure) dialled.socket.destroy()
  return dialled.tls === null ? null : daysRemaining(dialled.tls, clock.now())
}

function targetOf(domain: string): { host: string; port: number } | null {
  const address = domain.includes('://') ? domain : `https://${domain}`
  if (!URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  return hostname === '' ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 }
}

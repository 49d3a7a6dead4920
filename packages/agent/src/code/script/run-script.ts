// One run of a browser or multi-step check: its files into a cell, its script through the runtime's Playwright, what it left
// out as an outcome. In: a job. Out: verdict, evidence and files, secrets still in them.

import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { collectFiles } from '../../artifacts/collect-files.ts'
import type { CellEnd } from '../../sandbox/cell.ts'
import type { CodeContext, CodeOutcome, CodeRunner } from '../code-run.ts'
import { OutputLog } from '../output-log.ts'
import { plain } from '../runner-words.ts'
import { certificateDays } from './certificate-days.ts'
import { foundSecrets } from './found-secrets.ts'
import { nameFailures } from './name-failures.ts'
import { pageEvents } from './page-events.ts'
import { readJson, readLines } from './run-files.ts'
import { scriptEnvironment } from './script-environment.ts'
import { hostEnvironment, linkModules, type ScriptHost, type ScriptHosts } from './script-host.ts'
import { type ScriptEvidence, scriptVerdict } from './verdict.ts'
import { type Workspace, writeWorkspace } from './workspace.ts'

/** Wire facts 7. */
const scriptLimitMs = 240_000
const maxTailChars = 1_000

export interface ScriptDeps {
  /** Of the runtime that the job names; throws with words for the user when there is none. */
  hostsOf(runtimeId: string | null, signal: AbortSignal): Promise<{ hosts: ScriptHosts; runtimeName: string }>
  limitMs?: number
}

export function scriptRunner(deps: ScriptDeps): CodeRunner {
  return async (job, context) => {
    const { hosts, runtimeName } = await deps.hostsOf(job.runtimeId, context.signal)
    const host = await hosts.take(context.signal)
    const release = async () => {
      await host.cell.end()
      await host.cell.remove()
      hosts.prepare({ usesBrowser: usesBrowser(job) })
    }
    try {
      return await runIn(host, job, context, { runtimeName, limitMs: deps.limitMs ?? scriptLimitMs, release })
    } catch (error) {
      await release()
      throw error
    }
  }
}

interface RunSettings {
  runtimeName: string
  limitMs: number
  release(): Promise<void>
}

async function runIn(
  host: ScriptHost,
  job: Job,
  context: CodeContext,
  { runtimeName, limitMs, release }: RunSettings,
): Promise<CodeOutcome> {
  const { clock } = context
  const { cell } = host
  const log = new OutputLog(clock)
  const workspace = writeWorkspace(cell.folder, job)
  linkModules(host)
  await cell.handOver()
  const startTime = clock.now()
  const begin = clock.monotonic()
  host.onOutput = log.hear
  const certificate = certificateDays(
    (job.check as { sslCheckDomain?: unknown }).sslCheckDomain,
    context,
  ).catch(() => null)
  host.program.write(`${JSON.stringify(orderOf(job, workspace, host))}\n`)
  const { end, isTimedOut } = await endOf(host, context.signal, limitMs)
  const responseTimeMs = clock.monotonic() - begin
  await cell.end()
  const evidence = readEvidence(cell.folder, workspace, end, log.tail(maxTailChars))
  const failures = cell.connectionFailures()
  const shown = { ...evidence, ...named(evidence, (text) => nameFailures(text, failures)) }
  const verdict = isTimedOut ? outOfTime(limitMs) : scriptVerdict(shown)
  const events = pageEvents(readLines(cell.folder, '.vedette/events.jsonl'))
  for (const line of events.lines) log.say(nameFailures(line, failures), 'WARN')
  const { files, left } = isTimedOut ? { files: [], left: [] } : await filesOf(cell.folder, workspace)
  for (const line of left) log.say(line, 'WARN')
  const metrics = { ...vitalsOf(events.pages), ...(isTimedOut ? {} : events.traceSummary) }
  return {
    outcome: verdict.outcome,
    failure: verdict.failure,
    responseTimeMs,
    metrics: { responseTime: responseTimeMs, ...metrics },
    sslDaysRemaining: await certificate,
    detail: {
      type: workspace.mode === 'test' ? 'PLAYWRIGHT_TEST' : 'PLAYWRIGHT',
      errors: verdict.errors,
      startTime: Math.round(startTime),
      endTime: Math.round(startTime + responseTimeMs),
      runtimeVersion: runtimeName,
      ...(job.checkType === 'BROWSER' && { traceSummary: events.traceSummary, pages: events.pages }),
      ...(evidence.tests && { tests: evidence.tests.tests.map(({ errors: _errors, ...test }) => test) }),
      ...(evidence.degraded && { degraded: evidence.degraded }),
    },
    log: log.lines(),
    files,
    foundSecrets: foundSecrets(readLines(cell.folder, '.vedette/secrets.jsonl')),
    release,
  }
}

function orderOf(job: Job, { mode, file }: Workspace, { cell, places }: ScriptHost) {
  const path = join(places.work, file)
  // Whoever runs it again wants to see more of it.
  const isWatched = job.attempt > 1 || job.source === 'test'
  const { keepEvidence } = job.check as { keepEvidence?: unknown }
  const evidence = {
    ...(isWatched && { video: 'retain-on-failure' }),
    ...(keepEvidence === 'ALWAYS' && { trace: 'on', screenshot: 'on' }),
  }
  const kept = hostEnvironment(cell, places)
  return {
    mode,
    config: join(places.programs, 'script.config.cjs'),
    file: mode === 'test' ? escapeFilter(path) : path,
    usesBrowser: usesBrowser(job),
    env: { ...scriptEnvironment(job), VEDETTE_SCRIPT: JSON.stringify({ file: path, evidence }) },
    keep: Object.keys(kept),
  }
}

const usesBrowser = (job: Job) => job.checkType !== 'MULTI_STEP'

/** The runner takes it as a regular expression. */
const escapeFilter = (path: string) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

async function endOf(
  { program, cell }: ScriptHost,
  signal: AbortSignal,
  limitMs: number,
): Promise<{ end: CellEnd; isTimedOut: boolean }> {
  let isTimedOut = false
  const stop = () => void cell.end()
  const timer = setTimeout(() => {
    isTimedOut = true
    stop()
  }, limitMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const end = await program.ended
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  return { end, isTimedOut }
}

function readEvidence(folder: string, { mode }: Workspace, end: CellEnd, lastOutput: string): ScriptEvidence {
  const degraded = readJson(folder, 'degraded.json') as { messages?: unknown } | null
  const error = readJson(folder, '.vedette/error.json') as ScriptEvidence['error']
  return {
    mode,
    end,
    tests: testsOf(readJson(folder, '.vedette/tests.json')),
    error: error && { message: String(error.message), stack: plain(String(error.stack)) },
    degraded: Array.isArray(degraded?.messages) ? degraded.messages.map(String) : null,
    lastOutput,
  }
}

/** Written by our reporter, in a place where a script can write too. */
function testsOf(value: unknown): ScriptEvidence['tests'] {
  const given = value as ScriptEvidence['tests'] | null
  if (
    given === null ||
    typeof given !== 'object' ||
    !Array.isArray(given.tests) ||
    !Array.isArray(given.errors)
  )
    return null
  const isTest = (test: unknown) => Array.isArray((test as { errors?: unknown } | null)?.errors)
  return { ...given, tests: given.tests.filter(isTest) }
}

function named(
  evidence: ScriptEvidence,
  name: (text: string) => string,
): Pick<ScriptEvidence, 'tests' | 'error'> {
  const inError = <E extends { message: string; stack: string }>(error: E): E => ({
    ...error,
    message: name(plain(String(error.message))),
    stack: name(plain(String(error.stack))),
  })
  const { tests, error } = evidence
  return {
    error: error && inError(error),
    tests: tests && {
      ...tests,
      errors: tests.errors.map(inError),
      tests: tests.tests.map((test) => ({ ...test, errors: test.errors.map(inError) })),
    },
  }
}

function outOfTime(limitMs: number) {
  const message = `The script ran longer than the maximum run time of ${limitMs} ms and was ended.`
  return {
    outcome: 'failed' as const,
    failure: { kind: 'timeout' as const, phase: 'wait' as const, message },
    errors: [{ message, stack: '' }],
  }
}

function vitalsOf(pages: ReturnType<typeof pageEvents>['pages']): Record<string, number> {
  const vitals = pages[0]?.webVitals ?? {}
  return Object.fromEntries(Object.entries(vitals).map(([name, { value }]) => [name, value]))
}

async function filesOf(folder: string, { file, given }: Workspace) {
  // node_modules: see linkModules.
  const unwanted = new Set([...given, asModule(file), 'degraded.json', 'node_modules'])
  const collected = await collectFiles(folder, {
    isWanted: (path) =>
      !unwanted.has(path) &&
      !path.startsWith('snippets/') &&
      (!path.startsWith('.vedette/') || isEvidence(path)),
    nameOf: (path) => path.replace(/^\.vedette\/(?:test-results\/)?/, ''),
  })
  return collected
}

/** See runPlain in programs/host.cjs. */
const asModule = (file: string) => `${file.replace(/\.[cm]?[jt]sx?$/, '')}.mts`

const isEvidence = (path: string) =>
  (path.startsWith('.vedette/test-results/') && !path.endsWith('/.last-run.json')) ||
  path === '.vedette/report.json'

// Finishes a code run: scrubs its outcome and files, uploads the files, and returns the result.

import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckType, Job, ReportedArtifact, ReportedResult } from '@vedette/contracts'
import { maxMeasuredPages, pageMetricIndex, pageMetrics } from '@vedette/contracts/page-metrics'
import { arrangeMetrics, metricLayoutVersion, resultMetrics } from '@vedette/contracts/runs'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import type { OutputFile } from '../artifacts/output-file.ts'
import { scrubFiles } from '../artifacts/scrub-file.ts'
import { roundMs } from '../net/timings.ts'
import { measuredOrNull, storableFailure, storableText } from '../run/reported-result.ts'
import { detailText } from '../run/run-detail.ts'
import { createScrubber, type Scrubber } from '../scrub/scrub.ts'
import type { CodeOutcome, LogLine } from './code-runner.ts'
import { logScrubber, scrubLine } from './live-log.ts'

export interface FinishDeps {
  /** A directory of the agent, for scrubbed files. */
  tempFolder: string
  now(): number
  upload(
    files: OutputFile[],
    options: { token: string; signal: AbortSignal; onLeft(line: string): void },
  ): Promise<ReportedArtifact[]>
}

export async function finishRun(
  job: Job,
  outcome: CodeOutcome,
  times: CodeTimes,
  deps: FinishDeps,
  signal: AbortSignal,
): Promise<ReportedResult> {
  const secrets = [...job.secrets, ...(outcome.foundSecrets ?? [])]
  const scrubber = logScrubber(secrets)
  const notes: LogLine[] = []
  const note = (msg: string) => void notes.push({ time: deps.now(), level: 'WARN', msg })
  const options = { token: job.token, signal, onLeft: note }
  const artifacts = times.isCancelled ? [] : await keepFiles(outcome.files, scrubber, deps, options)
  const { failure, detail, agenticScript } = outcome
  const scrubbed = {
    ...outcome,
    // Only the message: a secret may equal a kind or phase, such as "script".
    failure: failure && { ...failure, message: scrubber.text(failure.message) },
    detail: scrubber.json(detail),
    log: [...outcome.log, ...notes].map((line) => scrubLine(scrubber, line)),
    ...(agenticScript && {
      agenticScript: { ...agenticScript, script: createScrubber(secrets).text(agenticScript.script) },
    }),
  }
  return codeResult(job, scrubbed, artifacts, times)
}

async function keepFiles(
  files: readonly OutputFile[],
  scrubber: Scrubber,
  { upload, tempFolder: root }: FinishDeps,
  options: Parameters<FinishDeps['upload']>[1],
): Promise<ReportedArtifact[]> {
  if (files.length === 0) return []
  let tempFolder: string | null = null
  try {
    tempFolder = mkdtempSync(join(root, 'files-'))
    const scrubbed = await scrubFiles(files, scrubber, { tempFolder, signal: options.signal })
    for (const line of scrubbed.notes) options.onLeft(line)
    return await upload(scrubbed.files, options)
  } catch (error) {
    options.onLeft(`the files of this run couldn't be kept: ${errorMessage(error)}`)
    return []
  } finally {
    if (tempFolder !== null) await rm(tempFolder, { recursive: true, force: true })
  }
}

// Converts the outcome of a code run, already scrubbed, into a result of the agent protocol. Pure.
interface CodeTimes {
  /** By the server's clock. */
  startedAt: number
  durationMs: number
  /** The run was canceled: its outcome says nothing about the check. */
  isCancelled: boolean
}

export function codeResult(
  job: Job,
  outcome: Omit<CodeOutcome, 'release' | 'files' | 'foundSecrets'>,
  artifacts: ReportedArtifact[],
  { startedAt, durationMs, isCancelled }: CodeTimes,
): ReportedResult {
  const { agenticScript, sslDaysRemaining: days = null } = outcome
  const failure = storableFailure(outcome.failure)
  const responseTimeMs = outcome.responseTimeMs === null ? null : roundMs(Math.max(0, outcome.responseTimeMs))
  return {
    token: job.token,
    startedAt: Math.round(startedAt),
    durationMs: roundMs(Math.max(0, durationMs)),
    responseTimeMs,
    outcome: isCancelled ? 'cancelled' : outcome.outcome,
    overMaxResponseTime: false,
    failure,
    statusCode: null,
    metrics: codeMetrics(job.checkType, outcome, responseTimeMs),
    metricLayout: metricLayoutVersion,
    sslDaysRemaining:
      days === null || Number.isNaN(days) ? null : Math.max(-maxDays, Math.min(maxDays, Math.floor(days))),
    detail: detailText(
      { failure, assertions: [], observed: outcome.detail, jobLog: outcome.log },
      job.secrets.length > 0,
    ),
    artifacts,
    agenticScript: agenticScript ? { ...agenticScript, script: storableText(agenticScript.script) } : null,
  }
}

const maxDays = 100_000

/** `responseTimeMs`: that of the result, so that both are the same number. */
export function codeMetrics(
  checkType: CheckType,
  { metrics: measured = {}, detail }: Pick<CodeOutcome, 'metrics' | 'detail'>,
  responseTimeMs: number | null,
): (number | null)[] {
  const names: readonly string[] = resultMetrics[checkType]
  const values = Object.fromEntries(names.map((name) => [name, measuredOrNull(measured[name])]))
  const metrics = arrangeMetrics(checkType, { ...values, responseTime: responseTimeMs })
  if (checkType !== 'BROWSER') return metrics
  for (const [page, { webVitals }] of Pages.parse(detail.pages).slice(0, maxMeasuredPages).entries()) {
    for (const name of pageMetrics) {
      const index = pageMetricIndex(name, page)
      if (index !== null) metrics[index] = measuredOrNull(webVitals[name]?.value)
    }
  }
  return metrics
}

const Vitals = z.record(z.string(), z.object({ value: z.unknown() }).nullable())
const Pages = z.array(z.object({ webVitals: Vitals }).catch({ webVitals: {} })).catch([])

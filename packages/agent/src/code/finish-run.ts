// Finishes a code run: scrubs its outcome and files, uploads the files, and returns the result.

import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job, ReportedArtifact, ReportedResult } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { OutputFile } from '../artifacts/output-file.ts'
import { scrubFiles } from '../artifacts/scrub-file.ts'
import { createScrubber, type Scrubber } from '../scrub/scrub.ts'
import { type CodeTimes, codeResult } from './code-result.ts'
import type { CodeOutcome, LogLine } from './code-runner.ts'
import { logScrubber, scrubLine } from './scrub-line.ts'

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
  const secrets = [...job.secrets, ...outcome.foundSecrets]
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

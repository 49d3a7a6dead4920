// A run of code is over: secrets out of everything it left, its files to the server, the rest as the result. In: an outcome
// with secrets in it. Out: what may leave this machine.

import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job, ReportedArtifact, ReportedResult } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { OutputFile } from '../artifacts/output-file.ts'
import { scrubFiles } from '../artifacts/scrub-file.ts'
import { createScrubber, type Scrubber } from '../scrub/scrub.ts'
import { codeResult } from './code-result.ts'
import type { CodeOutcome, LogLine } from './code-run.ts'

export interface FinishDeps {
  /** The agent's own; what lies in it is removed with it. */
  tempFolder: string
  now(): number
  upload(
    files: OutputFile[],
    how: { token: string; signal: AbortSignal; onLeft(line: string): void },
  ): Promise<ReportedArtifact[]>
}

interface RunTimes {
  startedAt: number
  durationMs: number
  isCancelled: boolean
}

const maxLineChars = 10_000

export async function finishRun(
  job: Job,
  outcome: CodeOutcome,
  times: RunTimes,
  deps: FinishDeps,
  signal: AbortSignal,
): Promise<ReportedResult> {
  const secrets = [...job.secrets, ...outcome.foundSecrets]
  // Playwright's call logs print headers, credentials among them.
  const scrubber = createScrubber(secrets, { headerLines: true })
  const notes: LogLine[] = []
  const note = (msg: string) => void notes.push({ time: deps.now(), level: 'WARN', msg })
  const how = { token: job.token, signal, onLeft: note }
  const artifacts = times.isCancelled ? [] : await keepFiles(outcome.files, scrubber, deps, how)
  const { failure, detail, agenticScript } = outcome
  const scrubbed = {
    ...outcome,
    // Their texts alone: a secret may be a word of ours, such as "script".
    failure: failure && { ...failure, message: scrubber.text(failure.message) },
    detail: scrubber.json(detail),
    // Cut afterwards: half a secret is no longer found.
    log: [...outcome.log, ...notes].map((line) => ({
      ...line,
      msg: scrubber.text(line.msg).slice(0, maxLineChars),
    })),
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
  how: Parameters<FinishDeps['upload']>[1],
): Promise<ReportedArtifact[]> {
  if (files.length === 0) return []
  let tempFolder: string | null = null
  try {
    tempFolder = mkdtempSync(join(root, 'files-'))
    const scrubbed = await scrubFiles(files, scrubber, { tempFolder, signal: how.signal })
    for (const line of scrubbed.notes) how.onLeft(line)
    return await upload(scrubbed.files, how)
  } catch (error) {
    how.onLeft(`the files of this run could not be kept: ${errorMessage(error)}`)
    return []
  } finally {
    if (tempFolder !== null) await rm(tempFolder, { recursive: true, force: true })
  }
}

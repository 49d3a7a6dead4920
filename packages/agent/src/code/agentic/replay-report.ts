// The steps of a replay, from the test runner's JSON report, which is untrusted.
import { z } from 'zod'
import type { OutputFile } from '../../artifacts/output-file.ts'
import { parseJson } from '../../core/parse-json.ts'
import { readPlainFile } from '../../core/read-plain-file.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import { plain } from '../playwright-messages.ts'

export interface ReplayedStep {
  title: string
  durationMs: number
  /** Null: it passed. */
  error: string | null
}

const Step = z.object({
  title: z.string(),
  duration: z.number().default(0),
  error: z.looseObject({ message: z.string().optional() }).optional(),
})

const Report = z.object({
  suites: z.array(
    z.object({
      specs: z.array(
        z.object({
          tests: z.array(z.object({ results: z.array(z.object({ steps: z.array(Step).default([]) })) })),
        }),
      ),
    }),
  ),
})

const maxReportBytes = 5_000_000

/** The steps of the last attempt; empty: there is no valid report. */
export async function replayedSteps(files: readonly OutputFile[]): Promise<ReplayedStep[]> {
  const file = files.find(({ type, contentType }) => type === 'report' && contentType.includes('json'))
  const report = file && Report.safeParse(parseJson((await readPlainFile(file.path, maxReportBytes)) ?? ''))
  if (!report?.success) return []
  const tests = report.data.suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests)
  return (tests[0]?.results.at(-1)?.steps ?? []).map(({ title, duration, error }) => ({
    title,
    durationMs: duration,
    error: error ? cutEnd(plain(error.message ?? 'failed'), 4_000) : null,
  }))
}

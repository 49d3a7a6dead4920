// What a replay proved, read off the test runner's own JSON report. Bounded, and nothing in it is trusted to be there.
import { constants, open } from 'node:fs/promises'
import { z } from 'zod'
import type { OutputFile } from '../../artifacts/output-file.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'

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

/** The steps of the last try; empty: there is no report that can be read. */
export async function replayedSteps(files: readonly OutputFile[]): Promise<ReplayedStep[]> {
  const file = files.find(({ type, contentType }) => type === 'report' && contentType.includes('json'))
  const report = file && Report.safeParse(await readJson(file.path))
  if (!report?.success) return []
  const tests = report.data.suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests)
  return (tests[0]?.results.at(-1)?.steps ?? []).map(({ title, duration, error }) => ({
    title,
    durationMs: duration,
    error: error ? plain(error.message ?? 'failed') : null,
  }))
}

async function readJson(path: string): Promise<unknown> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null)
  if (!file) return null
  try {
    const facts = await file.stat()
    if (!facts.isFile() || facts.size > maxReportBytes) return null
    return JSON.parse(await file.readFile('utf8'))
  } catch {
    return null
  } finally {
    await file.close()
  }
}

/** Colours are for terminals. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they are made of.
  return cutEnd(text.replaceAll(/\u001b\[[\d;]*m/g, ''), 4_000)
}

// The steps of a replay, from the test runner's JSON report, which is untrusted.
import { z } from 'zod'
import type { OutputFile } from '../../artifacts/output-file.ts'
import { parseJson } from '../../core/parse-json.ts'
import { readPlainFile } from '../../core/read-plain-file.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import { plain } from '../playwright-messages.ts'
import { type ScriptStep, verifyPrefix } from './script.ts'

const Step = z.object({ error: z.looseObject({ message: z.string().optional() }).optional() })

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

/** The error of each step of the last attempt, null: it passed; empty: there is no valid report. */
export async function replayedSteps(files: readonly OutputFile[]): Promise<(string | null)[]> {
  const file = files.find(({ type, contentType }) => type === 'report' && contentType.includes('json'))
  const report = file && Report.safeParse(parseJson((await readPlainFile(file.path, maxReportBytes)) ?? ''))
  if (!report?.success) return []
  const tests = report.data.suites.flatMap(({ specs }) => specs).flatMap(({ tests }) => tests)
  const steps = tests[0]?.results.at(-1)?.steps ?? []
  return steps.map(({ error }) => (error ? cutEnd(plain(error.message ?? 'failed'), 4_000) : null))
}

/** The assertions of the script and their results. */
export function replayedAssertions(script: readonly ScriptStep[], errors: readonly (string | null)[]) {
  return script.flatMap(({ title }, index) => {
    if (!title.startsWith(verifyPrefix)) return []
    const error = errors[index]
    const actual = error === undefined ? 'not reached' : (error ?? 'passed')
    const condition = title.slice(verifyPrefix.length)
    return [{ condition, passed: error === null, expected: 'passed', actual }]
  })
}

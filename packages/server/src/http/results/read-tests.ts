// The tests in the evidence of a run of code. Agents wrote it: whatever has another shape is left out.
import { type ResultDetail, valuesOf } from './result-detail.ts'

export interface RecordedTest {
  /** With its project and the blocks around it. */
  title: string
  file: string | null
  /** As the runner names it: expected, unexpected, flaky, skipped. */
  outcome: string
  durationMs: number | null
  steps: { title: string; durationMs: number | null; hasFailed: boolean }[]
}

const maxTests = 2_000
const maxSteps = 50

export function readTests(detail: ResultDetail | null): RecordedTest[] {
  const { tests } = detail?.observed ?? {}
  return listOf(tests, maxTests).flatMap((test): RecordedTest[] => {
    const { title, titlePath, testTitle, testFile, suitePath, projectName, outcome, status } = test
    const path = Array.isArray(titlePath)
      ? withoutFile(titlePath)
      : [projectName, ...(Array.isArray(suitePath) ? suitePath : []), testTitle ?? title]
    const name = path.filter((part) => typeof part === 'string' && part !== '').join(' › ')
    const result = typeof outcome === 'string' ? outcome : status
    if (name === '' || typeof result !== 'string') return []
    return [
      {
        ...{ title: name, file: typeof testFile === 'string' ? testFile : null, outcome: result },
        durationMs: durationOf(test.duration),
        steps: listOf(test.steps, maxSteps).flatMap((step) =>
          typeof step.title === 'string'
            ? [
                {
                  ...{ title: step.title, durationMs: durationOf(step.duration) },
                  hasFailed: step.hasFailed === true,
                },
              ]
            : [],
        ),
      },
    ]
  })
}

/** A script is one file: project, file, and then the titles. */
function withoutFile(titlePath: readonly unknown[]): readonly unknown[] {
  return titlePath.length > 2 ? titlePath.toSpliced(1, 1) : titlePath
}

function listOf(value: unknown, max: number): Record<string, unknown>[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, max) : []
  return list.map(valuesOf).filter((one) => one !== null)
}

/** Playwright has -1 for what didn't end. */
function durationOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null
}

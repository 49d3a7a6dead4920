// Assertions over large subjects, off the main thread and for a limited time: one check's expression must not hold up
// all other runs. Small ones are judged on the spot, which is cheaper than a message.
import type { Subject } from '@vedette/contracts'
import type { Assertion } from './assertion-values.ts'
import { type AssertionResult, evaluateAssertions } from './assertions.ts'
import { JudgePool, type JudgeTask } from './judge-pool.ts'

type Subjects = JudgeTask['subjects']

export interface JudgeOptions {
  limitMs?: number
  workers?: number
}

const largeChars = 64_000
const largeForExpressions = 16_000

export const judge = judgeWith({})

/** The same results as evaluateAssertions(), but for what takes too long. */
export function judgeWith({ limitMs = 5_000, workers = 2 }: JudgeOptions) {
  const pool = new JudgePool(workers, limitMs)
  return async (assertions: readonly Assertion[], subjects: Subjects): Promise<AssertionResult[]> => {
    if (!assertions.some((assertion) => isLarge(assertion, subjects))) {
      return evaluateAssertions(assertions, subjects)
    }
    // The body and its type explain why there is no JSON.
    const explaining = Object.hasOwn(subjects, 'JSON_BODY') ? [] : ['TEXT_BODY', 'HEADERS']
    const needed = new Set<string>([...assertions.map(({ source }) => source), ...explaining])
    const own = Object.fromEntries(Object.entries(subjects).filter(([source]) => needed.has(source)))
    return pool.judge({ assertions, subjects: own })
  }
}

function isLarge({ source, property, regex }: Assertion, subjects: Subjects): boolean {
  const chars = sizeOf(Object.hasOwn(subjects, source) ? subjects[source] : undefined, subjects)
  const hasExpression = property !== '' || !!regex
  return chars > (hasExpression ? largeForExpressions : largeChars)
}

/** A document is about as large as the text it was read from, which is there beside it. */
function sizeOf(subject: Subject | undefined, subjects: Subjects): number {
  if (subject?.kind === 'text') return subject.value.length
  if (subject?.kind !== 'json') return 0
  const text = subjects.TEXT_BODY ?? subjects.TEXT_ANSWER
  return text?.kind === 'text' ? text.value.length : 0
}

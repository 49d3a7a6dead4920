// Evaluates assertions on large subjects or with costly expressions on a thread, with a time limit, so that they don't delay
// other runs. Other assertions are evaluated at once, which is cheaper than a message to a thread.
import type { Subject } from '@vedette/contracts'
import { compileRegex } from '@vedette/safeguards/regex'
import type { AgentWaits } from '../core/agent-waits.ts'
import { FairQueue } from '../core/fair-queue.ts'
import { Threads } from '../core/threads.ts'
import { smallBodyBytes } from '../net/body-budget.ts'
import type { Assertion, Subjects } from './assertion-values.ts'
import { type AssertionResult, evaluateAssertions } from './assertions.ts'
import { decodeSubjects, undecodedBytes } from './undecoded.ts'

export interface JudgeTask {
  assertions: readonly Assertion[]
  subjects: Subjects
}

interface JudgeContext {
  /** The account; accounts share the threads. */
  owner?: string
  /** Counts the time that the run waits for a thread. */
  waits?: AgentWaits
}

const largeChars = 64_000
const largeForExpressions = 16_000
/** Instructions × characters, about 30 ns each. More than a few milliseconds need a thread. */
const maxRegexSteps = 200_000

export const judge = createJudge({})

/** The same results as evaluateAssertions(), except for assertions that exceed the time limit. */
export function createJudge({ limitMs = 5_000, workers = 2 }) {
  const runInTurn = inTurns(workers)
  const settings = { module: import.meta.url, program: 'judge-worker', memoryMb: 512, limitMs }
  const threads = new Threads<JudgeTask, AssertionResult>(settings)

  async function evaluate(task: JudgeTask): Promise<AssertionResult[]> {
    // Filled, since indexOf() skips holes.
    const results = new Array<AssertionResult | undefined>(task.assertions.length).fill(undefined)
    const receive = (result: AssertionResult) => {
      results[result.order] = result
      return result.order === task.assertions.length - 1
    }
    // Documents that nest too deeply can't be cloned for a thread.
    const problem = await threads.run(task, receive, undecodedBytes(task.subjects)).catch(() => {
      results.splice(0, results.length, ...evaluateAssertions(task.assertions, decodeSubjects(task.subjects)))
      return null
    })
    const why = problem?.error
      ? `The assertion couldn't be evaluated: ${problem.error.message}.`
      : `The assertion took longer than ${limitMs / 1000} s to evaluate.`
    return task.assertions.map(
      (assertion, order) => results[order] ?? unevaluated(assertion, order, results, why),
    )
  }

  return async (
    assertions: readonly Assertion[],
    subjects: Subjects,
    { owner = '', waits }: JudgeContext = {},
  ): Promise<AssertionResult[]> => {
    if (!assertions.some((assertion) => isCostly(assertion, subjects))) {
      return evaluateAssertions(assertions, subjects)
    }
    const needed = new Set<string>(assertions.map(({ source }) => source))
    // The body and its type explain why there is no valid JSON.
    if (needed.has('JSON_BODY') && subjects.JSON_BODY?.kind !== 'json') needed.add('TEXT_BODY').add('HEADERS')
    const own = Object.fromEntries(Object.entries(subjects).filter(([source]) => needed.has(source)))
    const isLarge = Object.values(own).some((subject) => sizeOf(subject, subjects) > smallBodyBytes)
    const endWait = waits?.begin()
    return runInTurn(owner, isLarge, () => {
      endWait?.()
      return evaluate({ assertions, subjects: own })
    })
  }
}

/** Runs at most `size` tasks at a time. Owners take turns, and large tasks leave one thread free for small ones. */
function inTurns(size: number) {
  const small = new FairQueue<() => Promise<void>>()
  const large = new FairQueue<() => Promise<void>>()
  let busy = 0
  let busyWithLarge = 0

  async function startNext(): Promise<void> {
    if (busy >= size) return
    const startLarge = busyWithLarge < Math.max(1, size - 1) ? large.take() : undefined
    const start = startLarge ?? small.take()
    if (!start) return
    const largeCount = startLarge ? 1 : 0
    busy += 1
    busyWithLarge += largeCount
    try {
      await start()
    } finally {
      busy -= 1
      busyWithLarge -= largeCount
      startNext()
    }
  }

  return <T>(owner: string, isLarge: boolean, task: () => Promise<T>): Promise<T> =>
    new Promise((settle) => {
      const queue = isLarge ? large : small
      queue.push(owner, async () => settle(await task()))
      startNext()
    })
}

function unevaluated(
  assertion: Assertion,
  order: number,
  results: readonly (AssertionResult | undefined)[],
  problem: string,
): AssertionResult {
  const isFirst = results.indexOf(undefined) === order
  const error = isFirst ? problem : "The assertion wasn't evaluated, because one before it couldn't be."
  return { ...assertion, order, error }
}

function isCostly({ source, property, regex }: Assertion, subjects: Subjects): boolean {
  const subject = Object.hasOwn(subjects, source) ? subjects[source] : undefined
  if (subject === undefined || subject.kind === 'number') return false
  const chars = sizeOf(subject, subjects)
  const hasExpression = property !== '' || !!regex
  if (subject.kind === 'undecoded' || chars > (hasExpression ? largeForExpressions : largeChars)) return true
  if (subject.kind === 'json' && isCostlyPath(property)) return true
  const pattern = subject.kind === 'text' && property !== '' ? property : regex
  return !!pattern && regexSteps(pattern, chars) > maxRegexSteps
}

/** Filters and descents multiply: a short path can visit millions of values of a small document. */
const isCostlyPath = (path: string) => path.includes('?') || path.split('..').length > 2

function regexSteps(pattern: string, chars: number): number {
  const compiled = compileRegex(pattern)
  return compiled.ok ? compiled.size * chars : 0
}

/** A document is about as large as the text that it was parsed from. */
function sizeOf(subject: Subject, subjects: Subjects): number {
  if (subject.kind === 'text') return subject.value.length
  if (subject.kind === 'undecoded') return subject.bytes.length
  if (subject.kind === 'named') {
    return Object.values(subject.values).reduce<number>((chars, value) => chars + String(value).length, 0)
  }
  if (subject.kind !== 'json') return 0
  const text = subjects.TEXT_BODY ?? subjects.TEXT_ANSWER
  return text?.kind === 'text' ? text.value.length : 0
}

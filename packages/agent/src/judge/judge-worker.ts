// The thread behind off-thread.ts.
import { parentPort } from 'node:worker_threads'
import { type AssertionResult, evaluateAssertions } from './assertions.ts'
import type { JudgeTask } from './off-thread.ts'
import { decodeSubjects } from './undecoded.ts'

parentPort?.on('message', ({ assertions, subjects: received }: JudgeTask) => {
  const subjects = decodeSubjects(received)
  for (const [order, assertion] of assertions.entries()) {
    const [result] = evaluateAssertions([assertion], subjects)
    // Posted one by one, so that the results before a slow one aren't lost.
    if (result) parentPort?.postMessage({ ...result, order } satisfies AssertionResult)
  }
})
parentPort?.postMessage(null)

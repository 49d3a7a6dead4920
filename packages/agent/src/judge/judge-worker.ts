// The thread behind off-thread.ts.
import { parentPort } from 'node:worker_threads'
import { evaluateAssertions } from './assertions.ts'
import type { JudgeMessage, JudgeTask } from './off-thread.ts'
import { decodeSubjects } from './undecoded.ts'

parentPort?.on('message', ({ assertions, subjects: received }: JudgeTask) => {
  const subjects = decodeSubjects(received)
  for (const [order, assertion] of assertions.entries()) {
    const [result] = evaluateAssertions([assertion], subjects)
    if (result) parentPort?.postMessage({ order, result: { ...result, order } } satisfies JudgeMessage)
  }
})
parentPort?.postMessage(null)

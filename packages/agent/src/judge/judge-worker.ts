// The thread behind judge-pool.ts.
import { parentPort } from 'node:worker_threads'
import { evaluateAssertions } from './assertions.ts'
import type { JudgeAnswer, JudgeTask } from './judge-pool.ts'

parentPort?.on('message', ({ assertions, subjects }: JudgeTask) => {
  for (const [order, assertion] of assertions.entries()) {
    const [result] = evaluateAssertions([assertion], subjects)
    if (result) parentPort?.postMessage({ order, result: { ...result, order } } satisfies JudgeAnswer)
  }
})

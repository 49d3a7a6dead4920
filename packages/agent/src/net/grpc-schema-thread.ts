// Reads schemas and converts messages on a thread, with a time limit: a hostile definition of 140 kB takes the parser 14
// seconds. The wait doesn't count for the run.
import { Worker } from 'node:worker_threads'
import type { Failure } from '@vedette/contracts'
import type { AgentWaits } from '../core/agent-waits.ts'
import { failureOfAbort } from './failure.ts'
import type { SchemaResult, SchemaTask } from './grpc-schema.ts'

/** `result` null: the thread is ready. */
export interface SchemaThreadMessage {
  result: SchemaResult | null
}

interface SchemaTaskContext {
  signal: AbortSignal
  waits: AgentWaits
}

interface SchemaThreads {
  run(
    task: SchemaTask,
    context: SchemaTaskContext,
  ): Promise<Exclude<SchemaResult, { kind: 'problem' }> | Failure>
}

interface SchemaThreadOptions {
  threads?: number
  limitMs?: number
}

const idleMs = 60_000

export const schemaThreads = createSchemaThreads({})

export function createSchemaThreads({ threads = 2, limitMs = 3_000 }: SchemaThreadOptions): SchemaThreads {
  const idle: { worker: Worker; timer: NodeJS.Timeout }[] = []
  const queue: (() => void)[] = []
  let busy = 0

  async function take(): Promise<Worker> {
    if (busy >= threads) await new Promise<void>((resolve) => queue.push(resolve))
    else busy += 1
    const spare = idle.pop()
    if (!spare) return startWorker()
    clearTimeout(spare.timer)
    return spare.worker
  }

  function putBack(worker: Worker | null) {
    const next = queue.shift()
    if (worker) {
      const timer = setTimeout(() => {
        const index = idle.findIndex((spare) => spare.worker === worker)
        if (index >= 0) idle.splice(index, 1)
        worker.terminate()
      }, idleMs).unref()
      idle.push({ worker, timer })
    }
    if (next) next()
    else busy -= 1
  }

  async function perform(task: SchemaTask, signal: AbortSignal): Promise<SchemaResult | string> {
    const worker = await take()
    // Canceled while it waited for a thread.
    if (signal.aborted) {
      putBack(worker)
      return ''
    }
    const result = await ask(worker, task, limitMs)
    if (typeof result === 'string') worker.terminate()
    putBack(typeof result === 'string' ? null : worker)
    return result
  }

  return {
    async run(task, { signal, waits }) {
      const phase = task.kind === 'encode' ? 'setup' : 'receive'
      const end = waits.begin()
      let onAbort = () => {}
      const aborted = new Promise<Failure>((resolve) => {
        onAbort = () => resolve(failureOfAbort(signal, phase))
        if (signal.aborted) onAbort()
        else signal.addEventListener('abort', onAbort, { once: true })
      })
      const result = await Promise.race([perform(task, signal), aborted])
      signal.removeEventListener('abort', onAbort)
      end()
      if (typeof result === 'string') return failure(phase, result, 'SCHEMA_LIMIT')
      if ('phase' in result) return result
      return result.kind === 'problem' ? failure(phase, result.message, result.code) : result
    },
  }
}

function failure(phase: 'setup' | 'receive', message: string, code: string): Failure {
  return { kind: 'protocol', message, phase, code }
}

/** Resolves to the result, or to a sentence that explains the failure. */
function ask(worker: Worker, task: SchemaTask, limitMs: number): Promise<SchemaResult | string> {
  return new Promise((resolve) => {
    const subject = task.kind === 'encode' ? 'The service definition' : 'The response message'
    const tooSlow = () => done(`${subject} takes longer than ${limitMs / 1000} s to process.`)
    let timer = isReady.has(worker) ? setTimeout(tooSlow, limitMs) : null
    const onMessage = ({ result }: SchemaThreadMessage) => {
      if (result) return done(result)
      // The time limit doesn't include the start of the thread.
      isReady.add(worker)
      timer ??= setTimeout(tooSlow, limitMs)
    }
    const onError = (error: Error) => done(`${subject} couldn't be processed: ${error.message}.`)
    function done(outcome: SchemaResult | string) {
      if (timer) clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError)
      resolve(outcome)
    }
    worker.on('message', onMessage).on('error', onError)
    worker.postMessage(task)
  })
}

const isReady = new WeakSet<Worker>()

function startWorker(): Worker {
  // Has the same extension as this file, which differs once it is compiled.
  const file = import.meta.url.replace(/grpc-schema-thread(\.\w+)$/, 'grpc-schema-worker$1')
  const worker = new Worker(new URL(file), { env: {}, resourceLimits: { maxOldGenerationSizeMb: 256 } })
  worker.unref()
  // An error without a listener would end the process.
  worker.on('error', () => undefined)
  return worker
}

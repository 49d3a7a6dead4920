// Checks in a worker thread whether scripts parse: a hostile script can exhaust a parser's stack or time, and the TypeScript
// parser can't be used after that.
import { Worker } from 'node:worker_threads'
import type { SyntaxReply, SyntaxTask } from './script-syntax-worker.ts'

/** Longer scripts aren't checked. */
const maxChars = 300_000
const limitMs = 5000
const idleMs = 30_000

let current: { worker: Worker; idle: NodeJS.Timeout } | null = null
let queue: Promise<unknown> = Promise.resolve()

/** Null: the script parses, or can't be checked. */
export function scriptSyntaxError(source: string, isLifecycle: boolean): Promise<string | null> {
  if (source.length > maxChars || source.trim() === '') return Promise.resolve(null)
  const result = queue.then(() => requestParse({ source, isLifecycle }))
  queue = result
  return result
}

function requestParse(task: SyntaxTask): Promise<string | null> {
  const worker = openWorker()
  return new Promise((resolve) => {
    const settle = (reply: SyntaxReply | null) => {
      clearTimeout(timer)
      worker.removeAllListeners('message')
      worker.removeAllListeners('exit')
      if (reply === null || reply.isBroken) endWorker()
      resolve(reply?.error ?? null)
    }
    const timer = setTimeout(() => settle(null), limitMs)
    worker.once('message', settle)
    worker.once('exit', () => settle(null))
    worker.postMessage(task)
  })
}

function openWorker(): Worker {
  if (current === null) {
    const file = new URL(import.meta.url.replace(/script-syntax(\.\w+)$/, 'script-syntax-worker$1'))
    const worker = new Worker(file, {
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
    })
    worker.unref()
    // Without a listener, an error of an idle worker would end the process.
    worker.on('error', () => undefined)
    current = { worker, idle: setTimeout(endWorker, idleMs).unref() }
  }
  current.idle.refresh()
  return current.worker
}

function endWorker(): void {
  if (current === null) return
  clearTimeout(current.idle)
  void current.worker.terminate()
  current = null
}

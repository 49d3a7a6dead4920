// Threads of one program, started when they are needed and kept for a minute. They get none of the agent's environment, and a task
// that takes too long ends its thread.
import { type Transferable, Worker } from 'node:worker_threads'

const idleMs = 60_000

interface ThreadSettings {
  /** The module that starts them, and the program beside it. */
  module: string
  program: string
  memoryMb: number
  /** Without the start of a thread. */
  limitMs: number
}

/** The program posts null when it is ready. */
export class Threads<Task, Message> {
  readonly #settings: ThreadSettings
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #ready = new WeakSet<Worker>()

  constructor(settings: ThreadSettings) {
    this.#settings = settings
  }

  /**
   * `receive` returns true for the last message. Resolves to null, or to why it wasn't finished (no error: its time was up). Rejects if
   * the task can't be cloned.
   */
  async run(
    task: Task,
    receive: (message: Message) => boolean,
    transfer: readonly Transferable[] = [],
  ): Promise<null | { error: Error | null }> {
    const worker = this.#take()
    try {
      worker.postMessage(task, transfer)
    } catch (error) {
      this.#keep(worker)
      throw error
    }
    const problem = await new Promise<null | { error: Error | null }>((settle) => {
      const start = () => setTimeout(() => done({ error: null }), this.#settings.limitMs)
      let timer = this.#ready.has(worker) ? start() : null
      const onMessage = (message: Message | null) => {
        if (message !== null) return receive(message) && done(null)
        this.#ready.add(worker)
        timer ??= start()
      }
      const onError = (error: Error) => done({ error })
      const done = (outcome: null | { error: Error | null }) => {
        if (timer) clearTimeout(timer)
        worker.off('message', onMessage).off('error', onError)
        settle(outcome)
      }
      worker.on('message', onMessage).on('error', onError)
    })
    if (problem === null) this.#keep(worker)
    else worker.terminate()
    return problem
  }

  #take(): Worker {
    const [idle] = this.#idle
    if (!idle) return this.#start()
    const [worker, timer] = idle
    clearTimeout(timer)
    this.#idle.delete(worker)
    return worker
  }

  #keep(worker: Worker): void {
    const end = () => {
      this.#idle.delete(worker)
      worker.terminate()
    }
    this.#idle.set(worker, setTimeout(end, idleMs).unref())
  }

  #start(): Worker {
    const { module, program, memoryMb } = this.#settings
    // Has the same extension as the module, which differs once it is compiled.
    const file = new URL(module.replace(/[^/]+(\.\w+)$/, `${program}$1`))
    const worker = new Worker(file, { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
    worker.unref()
    // An error without a listener would end the process.
    worker.on('error', () => undefined)
    return worker
  }
}

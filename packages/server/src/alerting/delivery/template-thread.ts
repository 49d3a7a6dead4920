// One thread that renders templates, one at a time.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { AlertEscaping, RenderedAlert } from '@vedette/safeguards/alert-template'
import { DeliveryError } from '../channels/transport/delivery-error.ts'

export interface TemplateTask {
  template: string
  values: Readonly<Record<string, unknown>>
  escaping: AlertEscaping
}

export interface TemplateThread {
  /** Null: no answer in time. Throws a DeliveryError where the thread is gone. */
  ask(task: TemplateTask, limitMs: number): Promise<RenderedAlert | null>
  end(): void
}

const startLimitMs = 30_000

export function startTemplateThread(): TemplateThread {
  const { port1: port, port2: theirs } = new MessageChannel()
  // Beside this file, and compiled as it is: a name in a string would not be rewritten.
  const file = new URL(import.meta.url.replace(/template-thread(\.\w+)$/, 'template-worker$1'))
  const worker = new Worker(file, {
    env: {},
    workerData: { port: theirs },
    transferList: [theirs],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
  })
  worker.unref()
  let loss: DeliveryError | null = null
  let onLoss: (loss: DeliveryError) => void = () => undefined
  // Stays: a thread that dies while nobody asks must not end the process.
  worker.on('error', (error) => {
    loss ??= lostThread(error)
    onLoss(loss)
  })

  function nextMessage<T>(limitMs: number): Promise<T | null> {
    return new Promise((resolve, reject) => {
      if (loss) return reject(loss)
      // It may be there already, and only this thread was too busy to look.
      const timer = setTimeout(() => settle(receiveMessageOnPort(port)?.message ?? null), limitMs)
      const settle = (message: T | null) => {
        clearTimeout(timer)
        port.off('message', settle)
        resolve(message)
      }
      onLoss = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      port.on('message', settle)
      port.unref()
    })
  }

  const start = nextMessage<'ready'>(startLimitMs)
  // Told to whoever asks.
  start.catch(() => undefined)

  return {
    async ask(task, limitMs) {
      // Loading its code is no part of a render.
      if ((await start) === null)
        throw new DeliveryError(
          'The template was not rendered, because the renderer did not start in time.',
          { permanent: false },
        )
      const answer = nextMessage<RenderedAlert>(limitMs)
      port.postMessage(task)
      return answer
    },
    end() {
      port.close()
      worker.terminate()
    },
  }
}

function lostThread(error: unknown): DeliveryError {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new DeliveryError('The template takes too much memory to render. Simplify it.', { permanent: true })
    : new DeliveryError(`The template was not rendered, because the renderer failed: ${message}`, {
        permanent: false,
        cause: error,
      })
}

// A worker thread that renders templates, one at a time.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { AlertEscaping, RenderedAlert } from '@vedette/safeguards/alert-template'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { DeliveryError } from '../channels/transport/delivery-error.ts'

export interface TemplateTask {
  template: string
  values: Readonly<Record<string, unknown>>
  escaping: AlertEscaping
}

export interface TemplateThread {
  /** Null: not rendered in time. Throws a DeliveryError if the thread has exited. */
  render(task: TemplateTask, limitMs: number): Promise<RenderedAlert | null>
  end(): void
}

const startLimitMs = 30_000

export function startTemplateThread(): TemplateThread {
  const { port1: port, port2: workerPort } = new MessageChannel()
  // The worker has the same extension as this file, source or compiled: bundlers don't rewrite names in strings.
  const file = new URL(import.meta.url.replace(/template-thread(\.\w+)$/, 'template-worker$1'))
  const worker = new Worker(file, {
    env: {},
    workerData: { port: workerPort },
    transferList: [workerPort],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32 },
  })
  worker.unref()
  let loss: DeliveryError | null = null
  let onLoss: (loss: DeliveryError) => void = () => undefined
  // Always attached: an idle thread that dies must not end the process.
  worker.on('error', (error) => {
    loss ??= lossOf(error)
    onLoss(loss)
  })

  function nextMessage<T>(limitMs: number): Promise<T | null> {
    return new Promise((resolve, reject) => {
      if (loss) return reject(loss)
      // The message may have arrived while this thread was busy.
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
  // render() reports the failure.
  start.catch(() => undefined)

  return {
    async render(task, limitMs) {
      // The start of the thread doesn't count towards the time limit.
      if ((await start) === null)
        throw new DeliveryError(
          'The template was not rendered, because the renderer did not start in time.',
          { permanent: false },
        )
      const rendered = nextMessage<RenderedAlert>(limitMs)
      port.postMessage(task)
      return rendered
    },
    end() {
      port.close()
      worker.terminate()
    },
  }
}

function lossOf(error: unknown): DeliveryError {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new DeliveryError('The template takes too much memory to render. Simplify it.', { permanent: true })
    : new DeliveryError(
        `The template was not rendered, because the renderer failed: ${errorMessage(error)}`,
        {
          permanent: false,
          cause: error,
        },
      )
}

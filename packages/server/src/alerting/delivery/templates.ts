// Two threads that render the templates of users, each render for a limited time: one that takes too long is ended with
// its thread, and another thread takes its place.
import type { AlertEscaping, RenderedAlert } from '@vedette/safeguards/alert-template'
import { openSemaphore } from '../../core/semaphore.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { startTemplateThread, type TemplateTask, type TemplateThread } from './template-thread.ts'

export interface Templates {
  /** Throws a DeliveryError. */
  render(
    template: string,
    values: Readonly<Record<string, unknown>>,
    escaping: AlertEscaping,
  ): Promise<string>
  close(): void
}

const threads = 2
const idleMs = 60_000
const longestWaitMs = 15_000

export function openTemplates({ limitMs = 1000 }: { limitMs?: number } = {}): Templates {
  const semaphore = openSemaphore(threads, longestWaitMs)
  const idle: { thread: TemplateThread; timer: NodeJS.Timeout }[] = []
  let isClosed = false

  function take(): TemplateThread {
    const known = idle.pop()
    clearTimeout(known?.timer)
    return known?.thread ?? startTemplateThread()
  }

  function putBack(thread: TemplateThread) {
    if (isClosed) return thread.end()
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((one) => one.thread === thread),
        1,
      )
      thread.end()
    }, idleMs).unref()
    idle.push({ thread, timer })
  }

  /** Null: it came to no end. */
  async function tryOnce(task: TemplateTask): Promise<RenderedAlert | null> {
    const thread = take()
    try {
      const answer = await thread.ask(task, limitMs)
      if (answer !== null) putBack(thread)
      else thread.end()
      return answer
    } catch (error) {
      thread.end()
      throw error
    }
  }

  async function render(...[template, values, escaping]: Parameters<Templates['render']>): Promise<string> {
    if (!template.includes('{{')) return template
    const release = await semaphore.acquire()
    if (release === null)
      throw new DeliveryError(
        'The template was not rendered in time, because other templates were being rendered.',
        { permanent: false },
      )
    const task = { template, values, escaping }
    try {
      // A second chance: it may have been the machine that stood still, and an alert hangs on it.
      const answer = (await tryOnce(task)) ?? (await tryOnce(task))
      if (answer === null) throw permanent(`takes longer than ${limitMs / 1000} s to render. Simplify it.`)
      if (!answer.ok) throw permanent(`cannot be rendered: ${answer.error}`)
      return answer.text
    } finally {
      release()
    }
  }

  return {
    render,
    close() {
      isClosed = true
      for (const { thread, timer } of idle.splice(0)) {
        clearTimeout(timer)
        thread.end()
      }
    },
  }
}

function permanent(what: string): DeliveryError {
  return new DeliveryError(`The template ${what}`, { permanent: true })
}

// Renders users' templates in two worker threads with a time limit. A render that takes too long is aborted by terminating its thread.
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

  function acquire(): TemplateThread {
    const known = idle.pop()
    clearTimeout(known?.timer)
    return known?.thread ?? startTemplateThread()
  }

  function release(thread: TemplateThread) {
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

  /** Null: not rendered in time. */
  async function tryOnce(task: TemplateTask): Promise<RenderedAlert | null> {
    const thread = acquire()
    try {
      const rendered = await thread.render(task, limitMs)
      if (rendered !== null) release(thread)
      else thread.end()
      return rendered
    } catch (error) {
      thread.end()
      throw error
    }
  }

  async function render(...[template, values, escaping]: Parameters<Templates['render']>): Promise<string> {
    if (!template.includes('{{')) return template
    const releasePermit = await semaphore.acquire()
    if (releasePermit === null)
      throw new DeliveryError(
        'The template was not rendered in time, because other templates were being rendered.',
        { permanent: false },
      )
    const task = { template, values, escaping }
    try {
      // Retry once: the machine may have stalled, and an alert depends on it.
      const rendered = (await tryOnce(task)) ?? (await tryOnce(task))
      if (rendered === null) throw permanent(`takes longer than ${limitMs / 1000} s to render. Simplify it.`)
      if (!rendered.ok) throw permanent(`cannot be rendered: ${rendered.error}`)
      return rendered.text
    } finally {
      releasePermit()
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

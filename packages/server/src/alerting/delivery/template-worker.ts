// Runs in the thread of template-thread.ts.
import { type MessagePort, workerData } from 'node:worker_threads'
import { type RenderedAlert, renderAlertTemplate } from '@vedette/safeguards/alert-template'
import type { TemplateTask } from './template-thread.ts'

const { port }: { port: MessagePort } = workerData

port.on('message', ({ template, values, escaping }: TemplateTask) => {
  port.postMessage(renderAlertTemplate(template, values, escaping) satisfies RenderedAlert)
})

port.postMessage('ready')

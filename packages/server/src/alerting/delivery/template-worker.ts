// The thread behind template-thread.ts.
import { type MessagePort, workerData } from 'node:worker_threads'
import { type RenderedAlert, renderAlertTemplate } from '@vedette/safeguards/alert-template'
import type { TemplateTask } from './template-thread.ts'

const { port } = workerData as { port: MessagePort }

port.on('message', ({ template, values, escaping }: TemplateTask) => {
  port.postMessage(renderAlertTemplate(template, values, escaping) satisfies RenderedAlert)
})

port.postMessage('ready')

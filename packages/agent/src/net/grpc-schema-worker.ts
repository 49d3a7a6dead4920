// The thread behind grpc-schema-thread.ts.
import { parentPort } from 'node:worker_threads'
import { runSchemaTask, type SchemaTask } from './grpc-schema.ts'
import type { SchemaThreadMessage } from './grpc-schema-thread.ts'

const post = (message: SchemaThreadMessage) => parentPort?.postMessage(message)

parentPort?.on('message', (task: SchemaTask) => post({ result: runSchemaTask(task) }))
post({ result: null })

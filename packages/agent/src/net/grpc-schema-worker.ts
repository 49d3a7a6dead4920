// The thread behind grpc-schema-thread.ts.
import { parentPort } from 'node:worker_threads'
import { runSchemaTask, type SchemaTask } from './grpc-schema.ts'

parentPort?.on('message', (task: SchemaTask) => parentPort?.postMessage(runSchemaTask(task)))
parentPort?.postMessage(null)

// Reads schemas and converts messages on a thread, with a time limit: a hostile definition of 140 kB takes the parser 14
// seconds. The wait doesn't count for the run.
import type { Failure } from '@vedette/contracts'
import type { AgentWaits } from '../core/agent-waits.ts'
import { Semaphore } from '../core/semaphore.ts'
import { Threads } from '../core/threads.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { failureOfAbort } from './failure.ts'
import type { SchemaResult, SchemaTask } from './grpc-schema.ts'

type SchemaOutcome<K> = Extract<SchemaResult, { kind: K }> | Failure

export const schemaThreads = createSchemaThreads({})

export function createSchemaThreads({ threads = 2, limitMs = 3_000 }) {
  const free = new Semaphore(threads)
  const settings = { module: import.meta.url, program: 'grpc-schema-worker', memoryMb: 256, limitMs }
  const pool = new Threads<SchemaTask, SchemaResult>(settings)

  async function perform(task: SchemaTask, phase: 'setup' | 'receive'): Promise<SchemaResult | Failure> {
    const subject = task.kind === 'encode' ? 'The service definition' : 'The response message'
    const fail = (message: string, code = 'SCHEMA_LIMIT'): Failure => {
      return { kind: 'protocol', message, phase, code }
    }
    const results: SchemaResult[] = []
    const problem = await pool.run(task, (result) => results.push(result) > 0)
    const [result] = results
    if (problem?.error) return fail(`${subject} couldn't be processed: ${problem.error.message}.`)
    if (!result) return fail(`${subject} takes longer than ${limitMs / 1000} s to process.`)
    return result.kind === 'problem' ? fail(result.message, result.code) : result
  }

  return {
    async run<K extends SchemaTask['kind']>(
      task: SchemaTask & { kind: K },
      { signal, waits }: { signal: AbortSignal; waits: AgentWaits },
    ): Promise<SchemaOutcome<K>> {
      const phase = task.kind === 'encode' ? 'setup' : 'receive'
      const end = waits.begin()
      try {
        const release = await free.acquire(signal)
        if (!release) return failureOfAbort(signal, phase)
        // A task whose run is aborted keeps its thread until it ends.
        const outcome = await untilAborted(perform(task, phase).finally(release), signal)
        return outcome as SchemaOutcome<K>
      } catch (error) {
        if (signal.aborted) return failureOfAbort(signal, phase)
        throw error
      } finally {
        end()
      }
    },
  }
}

// A script of an agentic check, run as a browser check's would be.
import type { CodeRunner } from '../code-run.ts'
import type { AgenticDeps } from './agentic-run.ts'

export function replayWith(runScript: CodeRunner): AgenticDeps['replay'] {
  return (script, job, context) => {
    const check = { ...job.check, script, scriptPath: null, dependencies: [] }
    return runScript({ ...job, check, snippets: [] }, context)
  }
}

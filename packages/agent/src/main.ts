// The agent for all network checks, API checks with their scripts among them.
import { runAgentProcess } from './agent-process.ts'
import { diagnose } from './net/diagnose.ts'
import { networkCheckTypes } from './protocol.ts'
import { runCheck } from './run.ts'
import { closeSandbox, sandboxLayers } from './sandbox/sandbox.ts'

let layers: readonly string[] | null = null
sandboxLayers().then((found) => {
  layers = found
})

await runAgentProcess({
  checkTypes: networkCheckTypes,
  runCheck,
  diagnose,
  facts: () => ({ sandbox: layers }),
  close: closeSandbox,
})

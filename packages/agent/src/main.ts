// The whole agent: network checks, and those that are code of users.
import { runAgentProcess } from './agent-process.ts'
import { openCode } from './code/open-code.ts'
import { diagnose } from './net/diagnose.ts'
import { allCheckTypes } from './protocol.ts'
import { runCheck } from './run.ts'
import { raiseOwnSession } from './sandbox/priority.ts'
import { closeSandbox, sandboxLayers } from './sandbox/sandbox.ts'

raiseOwnSession()
let layers: readonly string[] | null = null
sandboxLayers().then((found) => {
  layers = found
})

await runAgentProcess({
  checkTypes: allCheckTypes,
  runCheck,
  openCode,
  diagnose,
  facts: () => ({ sandbox: layers }),
  close: closeSandbox,
})

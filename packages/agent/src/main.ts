// The full agent: network checks and code checks.
import { networkCheckTypes } from './checks/runners.ts'
import { openCode } from './code/open-code.ts'
import { diagnose } from './net/diagnose.ts'
import { runAgentProcess } from './process/agent-process.ts'
import { runCheck } from './run/run.ts'
import { codeCheckTypes } from './run/run-limits.ts'
import { raiseOwnSession } from './sandbox/priority.ts'
import { closeSandbox } from './sandbox/sandbox.ts'

raiseOwnSession()

await runAgentProcess({
  checkTypes: [...networkCheckTypes, ...codeCheckTypes],
  runCheck,
  openCode,
  diagnose,
  close: closeSandbox,
})

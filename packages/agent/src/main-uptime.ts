// The uptime agent: monitors only, nothing that runs code of the user's.
import { runAgentProcess } from './agent-process.ts'
import { diagnose } from './net/diagnose.ts'
import { uptimeCheckTypes } from './protocol.ts'
import { runMonitor } from './run-monitor.ts'

await runAgentProcess({ checkTypes: uptimeCheckTypes, runCheck: runMonitor, diagnose })

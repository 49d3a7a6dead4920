// The uptime agent: monitors only, no user code.
import { uptimeCheckTypes } from './checks/runners.ts'
import { diagnose } from './net/diagnose.ts'
import { runAgentProcess } from './process/agent-process.ts'
import { runMonitor } from './run/run-monitor.ts'

await runAgentProcess({ checkTypes: uptimeCheckTypes, runCheck: runMonitor, diagnose })

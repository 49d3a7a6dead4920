// One run of a network check with the scripts that may be around it: set up, run, tear down. Without scripts nothing of
// the sandbox is touched.
import type { Observation } from '@vedette/contracts'
import type { RunContext } from '../checks/runner.ts'
import { isFailure } from '../net/failure.ts'
import { JobLog } from '../sandbox/job-log.ts'
import { type ApiRun, ApiScripts, hasScripts } from './api-scripts.ts'
import {
  type CheckRun,
  concluded,
  observed,
  ownFailure,
  type RunOutcome,
  runMonitor,
  unobserved,
} from './run-monitor.ts'

export async function runCheck(run: CheckRun, context: RunContext): Promise<RunOutcome> {
  return hasScripts(run) ? runScripted(run, context) : runMonitor(run, context)
}

async function runScripted(run: CheckRun & ApiRun, context: RunContext): Promise<RunOutcome> {
  const { clock } = context
  const begin = clock.monotonic()
  const startedAt = clock.now()
  const log = new JobLog()
  const scripts = new ApiScripts(run, context, log)
  const observation = await between(run, scripts, context)
  const durationMs = clock.monotonic() - begin
  return concluded(
    { ...run, secrets: scripts.secrets },
    { ...observation, startedAt, durationMs },
    context,
    log,
  )
}

async function between(run: CheckRun, scripts: ApiScripts, context: RunContext): Promise<Observation> {
  try {
    const changed = await scripts.setup()
    if (isFailure(changed)) return unobserved(changed, context)
    return await scripts.teardown(await observed({ ...run, ...changed.run }, changed.context))
  } catch (error) {
    return unobserved(ownFailure(error), context)
  } finally {
    scripts.close()
  }
}

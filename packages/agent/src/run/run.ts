// One run of a network check with its setup and teardown scripts. Without scripts it doesn't use the sandbox.
import type { Observation } from '@vedette/contracts'
import type { RunContext } from '../checks/runner.ts'
import { isFailure } from '../net/failure.ts'
import { JobLog } from '../sandbox/job-log.ts'
import { type ApiRun, ApiScripts, hasScripts } from './api-scripts.ts'
import {
  type CheckRun,
  failedObservation,
  internalFailure,
  judgeRun,
  observeRun,
  type RunOutcome,
  runMonitor,
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
  const observation = await observeScripted(run, scripts, context)
  const durationMs = clock.monotonic() - begin
  const { isolation, secrets } = scripts
  const detail = isolation === null ? observation.detail : { ...(observation.detail ?? {}), isolation }
  return judgeRun({ ...run, secrets }, { ...observation, detail, startedAt, durationMs }, context, log)
}

async function observeScripted(
  run: CheckRun,
  scripts: ApiScripts,
  context: RunContext,
): Promise<Observation> {
  try {
    const changed = await scripts.setup()
    if (isFailure(changed)) return failedObservation(changed, context)
    return await scripts.teardown(await observeRun({ ...run, ...changed.run }, changed.context))
  } catch (error) {
    return failedObservation(internalFailure(error), context)
  } finally {
    scripts.close()
  }
}

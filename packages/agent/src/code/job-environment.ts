// Environment variables of user code.
import type { Job } from '@vedette/contracts'

/** Facts about the run, for every program of it. */
export function jobFacts({ source, accountId, checkId, location, check }: Job): Record<string, string> {
  return {
    // wire: SERVICE for runs of the service, CI for test sessions only.
    SERVICE: '1',
    ...(source === 'test' && { CI: 'true' }),
    ACCOUNT_ID: accountId,
    CHECK_ID: checkId,
    CHECK_NAME: check.name,
    REGION: location,
  }
}

/** For scripts: the check's variables, overridden by facts of the run. */
export function scriptEnvironment(job: Job): Record<string, string> {
  const facts: Record<string, string | null | undefined> = {
    ...jobFacts(job),
    CHECK_TYPE: job.checkType,
    RUNTIME_VERSION: job.runtimeId,
    ENVIRONMENT_URL: job.environmentUrl,
    GROUP_BASE_URL: job.groupBaseUrl,
    ...(job.source === 'schedule' && {
      CHECK_RESULT_ID: job.resultId,
      CHECK_RUN_ID: String(job.scheduledAt),
    }),
  }
  const given = Object.entries(facts).filter((fact): fact is [string, string] => Boolean(fact[1]))
  return { ...job.variables, ...Object.fromEntries(given) }
}

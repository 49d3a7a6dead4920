// What a script finds in process.env: the check's variables, and facts of the run that stand before them.
import type { Job } from '@vedette/contracts'
import { jobFacts } from '../job-facts.ts'

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

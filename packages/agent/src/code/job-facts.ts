import type { Job } from '@vedette/contracts'

type Told = Pick<Job, 'source' | 'accountId' | 'checkId' | 'location' | 'check'>

/** What every program of a run finds in its environment about the run. */
export function jobFacts({ source, accountId, checkId, location, check }: Told): Record<string, string> {
  return {
    // wire: SERVICE for what the service triggers, CI for test sessions alone.
    SERVICE: '1',
    ...(source === 'test' && { CI: 'true' }),
    ACCOUNT_ID: accountId,
    CHECK_ID: checkId,
    CHECK_NAME: check.name,
    REGION: location,
  }
}

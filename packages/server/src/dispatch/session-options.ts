// The options of sessions that apply to their runs.
import type { RetryStrategy } from '@vedette/contracts'
import type { z } from 'zod'
import type { Client } from '../storage/core/transaction.ts'
import { isSealed, type Vault } from '../storage/core/vault.ts'
import { listSessionOptions } from '../storage/runs/session-options.ts'

export interface SessionOptions {
  environmentVariables: { key: string; value: string; locked: boolean; secret: boolean }[]
  environmentUrl: string | null
  /** Test sessions replace the strategy of the check; null: no retries. Absent: the check's own. */
  retryStrategy?: z.output<typeof RetryStrategy> | null
  refreshCache: boolean
  /** How many runs the session has. */
  expected: number
}

/** By session id. Crosses accounts: the caller is the queue, not an API client. */
export async function readSessionOptions(
  client: Client,
  vault: Vault,
  wanted: { checkSessionIds: readonly string[]; testSessionIds: readonly string[] },
): Promise<Map<string, SessionOptions>> {
  const { checkSessions, testSessions } = await listSessionOptions(client, wanted)
  const checkOptions = checkSessions.map(({ id, expected, options }): [string, SessionOptions] => {
    const { environmentUrl, environmentName, refreshCache } = options
    const environmentVariables = [
      ...variable('ENVIRONMENT_URL', environmentUrl),
      ...variable('ENVIRONMENT_NAME', environmentName),
    ]
    return [id, { environmentVariables, environmentUrl, refreshCache, expected }]
  })
  const testOptions = testSessions.map(({ id, accountId, expected, options }): [string, SessionOptions] => {
    const { retryStrategy, refreshCache } = options
    const environmentVariables = options.environmentVariables.map(({ value, ...variable }) => ({
      ...variable,
      value: isSealed(value) ? vault.unseal(accountId, value) : value,
    }))
    return [id, { environmentVariables, environmentUrl: null, retryStrategy, refreshCache, expected }]
  })
  return new Map([...checkOptions, ...testOptions])
}

function variable(key: string, value: string | null): SessionOptions['environmentVariables'] {
  return value === null ? [] : [{ key, value, locked: false, secret: false }]
}

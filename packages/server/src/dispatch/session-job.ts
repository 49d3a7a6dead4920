// What a session gives to its runs beyond the check itself.
import type { RetryStrategy } from '@vedette/contracts'
import type { z } from 'zod'
import type { Client } from '../storage/core/transaction.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import { listSessionOptions } from '../storage/runs/session-options.ts'

export interface SessionOptions {
  environmentVariables: { key: string; value: string; locked: boolean; secret: boolean }[]
  environmentUrl: string | null
  /** Of test sessions, in place of the check's; null: no retries. Absent: the check's own. */
  retryStrategy?: z.output<typeof RetryStrategy> | null
  refreshCache: boolean
  /** How many runs the session has. */
  expected: number
}

/** By the id of the session, for runs of any accounts: it answers the queue, not a caller. */
export async function sessionOptions(
  client: Client,
  vault: Vault,
  wanted: { checkSessionIds: readonly string[]; testSessionIds: readonly string[] },
): Promise<Map<string, SessionOptions>> {
  const { checkSessions, testSessions } = await listSessionOptions(client, wanted)
  const ofChecks = checkSessions.map(({ id, expected, options }): [string, SessionOptions] => {
    const { environmentUrl, environmentName, refreshCache } = options
    const environmentVariables = [
      ...variable('ENVIRONMENT_URL', environmentUrl),
      ...variable('ENVIRONMENT_NAME', environmentName),
    ]
    return [id, { environmentVariables, environmentUrl, refreshCache, expected }]
  })
  const ofTests = testSessions.map(({ id, accountId, expected, options }): [string, SessionOptions] => {
    const { environmentVariables, retryStrategy, refreshCache } = unsealDeep(vault, accountId, options)
    const opened = environmentVariables as SessionOptions['environmentVariables']
    return [id, { environmentVariables: opened, environmentUrl: null, retryStrategy, refreshCache, expected }]
  })
  return new Map([...ofChecks, ...ofTests])
}

function variable(key: string, value: string | null): SessionOptions['environmentVariables'] {
  return value === null ? [] : [{ key, value, locked: false, secret: false }]
}

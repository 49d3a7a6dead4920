// Warnings about input that is accepted but probably a mistake: scripts that don't parse, undefined variables, fields that
// were removed because a nested object was sent without them.
import { CheckType, type CheckValues, definitionOf } from '@vedette/contracts'
import { isRecord } from '../core/is-record.ts'
import { findGroup } from '../storage/checks/check-groups.ts'
import { listVariableKeys } from '../storage/checks/variables.ts'
import type { Db } from '../storage/core/db.ts'
import type { Vault } from '../storage/core/vault.ts'
import type { CheckChange } from './change-checks.ts'
import { scriptSyntaxError } from './script-syntax.ts'

export type Warn = (sentence: string) => void

const lifecycleFields = ['localSetupScript', 'localTearDownScript'] as const

/** Call it after the commit: it must not extend the locks of the change. */
export async function warnOfChange(
  db: Db,
  vault: Vault,
  accountId: string,
  { sent, after }: CheckChange,
  warn: Warn,
): Promise<void> {
  await warnOfScripts(sent, warn)
  warnOfIneffective(sent, after, warn)
  const isJudged = ['request', 'prompt', 'environmentVariables', 'groupId'].some(
    (name) => sent[name] !== undefined,
  )
  if (!isJudged) return
  const { groupId } = after
  const group = typeof groupId === 'number' ? await findGroup(db, vault, accountId, groupId) : null
  await warnOfVariables(db, accountId, { check: after, group }, warn)
}

const thresholds = [
  ['degradedResponseTime', 'maxResponseTime'],
  ['degradedPacketLossThreshold', 'maxPacketLossThreshold'],
] as const

/** Settings without an effect. They are accepted because clients of the public service send them. */
function warnOfIneffective(sent: CheckValues, after: CheckValues, warn: Warn): void {
  for (const [degraded, max] of thresholds) {
    const [low, high] = [after[degraded], after[max]]
    if (sent[degraded] === undefined && sent[max] === undefined) continue
    if (typeof low !== 'number' || typeof high !== 'number' || low <= high) continue
    warn(`${degraded} (${low}) is above ${max} (${high}), so no run is degraded`)
  }
  const { retryStrategy } = sent
  const onlyOn = isRecord(retryStrategy) ? retryStrategy.onlyOn : undefined
  const type = CheckType.safeParse(after.checkType).data
  if (!Array.isArray(onlyOn) || onlyOn.length === 0 || type === undefined) return
  if (definitionOf(type).retries !== 'http')
    warn('retryStrategy.onlyOn has an effect only for API checks and URL monitors: every failure is retried')
}

export async function warnOfScripts(sent: CheckValues, warn: Warn): Promise<void> {
  for (const field of ['script', ...lifecycleFields] as const) {
    const source = sent[field]
    if (typeof source !== 'string') continue
    const error = await scriptSyntaxError(source, field !== 'script')
    if (error !== null) warn(`${field} does not parse: ${error}`)
  }
}

/** Variables that every run has. */
const builtIn = new Set([
  ...['GROUP_BASE_URL', 'REQUEST_URL', 'ENVIRONMENT_URL', 'ENVIRONMENT_NAME', 'REGION', 'RUNTIME_VERSION'],
  ...['CHECK_NAME', 'CHECK_TYPE', 'CHECK_ID', 'CHECK_RESULT_ID', 'CHECK_RUN_ID', 'ACCOUNT_ID'],
  ...['PUBLIC_IP_V4', 'PUBLIC_IP_V6', 'year', 'else', 'this'],
])

interface Enclosing {
  environmentVariables: readonly { key: string }[] | null
  localSetupScript: string | null
  setupSnippetId: number | null
}

/** A setup script may set any variable, so checks that have one are skipped. */
async function warnOfVariables(
  db: Db,
  accountId: string,
  { check, group }: { check: CheckValues; group: Enclosing | null },
  warn: Warn,
): Promise<void> {
  if ([check, group].some((part) => part?.localSetupScript || part?.setupSnippetId)) return
  const used = variablesIn(check)
  if (used.size === 0) return
  const own = Array.isArray(check.environmentVariables) ? check.environmentVariables : []
  const known = new Set<string>([...own, ...(group?.environmentVariables ?? [])].map(({ key }) => key))
  for (const key of await listVariableKeys(db, accountId, [...used])) known.add(key)
  for (const name of used) {
    if (!known.has(name))
      warn(`{{${name}}} is not defined: neither the check nor its group nor the account has it`)
  }
}

const maxNames = 50

function variablesIn({ request, prompt }: CheckValues): Set<string> {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      // Inside a block, names may refer to the entries of a list.
      if (value.includes('{{#')) return
      for (const [, name = ''] of value.matchAll(/\{\{\{?\s*([A-Za-z_]\w*)\s*\}?\}\}/g)) {
        if (!builtIn.has(name) && names.size < maxNames) names.add(name)
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, item] of Object.entries(value)) if (field !== 'assertions') visit(item)
    }
  }
  visit(request)
  visit(prompt)
  return names
}

/** A nested object replaces the stored one: fields that were set and weren't sent are removed. */
export function warnOfRemoved(sent: CheckValues, raw: unknown, before: CheckValues, warn: Warn): void {
  for (const field of Object.keys(sent)) {
    const [given, had, now] = [isRecord(raw) ? raw[field] : undefined, before[field], sent[field]]
    if (!isRecord(given) || !isRecord(had) || !isRecord(now)) continue
    for (const [name, value] of Object.entries(had)) {
      if (name in given || isEmpty(value) || JSON.stringify(value) === JSON.stringify(now[name])) continue
      const fate = isEmpty(now[name]) ? 'removed' : 'reset to its default'
      warn(`${field}.${name} was ${fate} because ${field} was sent without it`)
    }
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

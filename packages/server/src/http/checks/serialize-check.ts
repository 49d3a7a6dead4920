// Serializes checks: without secrets, and with locked values only for callers that may change the check.
import {
  type AlertChannelSummary,
  applyGroup,
  type Check,
  type CheckState,
  defaultAlertSettings,
  type Role,
  roleAllows,
  secretMask,
} from '@vedette/contracts'
import type { z } from 'zod'
import { isRecord } from '../../core/is-record.ts'
import { publicUrl } from '../../core/public-url.ts'
import { deriveStates } from '../../states/read-check-states.ts'
import { maskSecrets, openSecrets } from '../../storage/alerts/channel-secrets.ts'
import {
  type CheckFactsRow,
  type CheckRow,
  findCheckFacts,
  type SubscribedChannel,
} from '../../storage/checks/check-reads.ts'
import { unpackCheck, unpackHookFiles } from '../../storage/checks/check-settings.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { isSealed, type Sealed, type Vault } from '../../storage/core/vault.ts'
import { projectFieldsOf } from '../../storage/projects/owners.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { loadGroups } from './serialize-check-group.ts'

interface CheckReader {
  vault: Vault
  role: Role
  publicUrl: string
}

function checkReader({ vault, config }: Deps, { role }: AccountContext): CheckReader {
  return { vault, role, publicUrl: publicUrl(config) }
}

/** May contain fields that the type doesn't have: `mount` removes them. */
function serializeCheck(row: CheckRow, state: CheckState, reader: CheckReader): Check {
  const values = unpackCheck(row)
  const show = shower(row.account_id, reader)
  const check: Record<string, unknown> = {
    ...values,
    id: row.id,
    environmentVariables: showVariables(values.environmentVariables as Entry[] | null | undefined, show),
    request: showRequest(values.request as Request | undefined, show),
    alertChannelSubscriptions: (row.subscriptions ?? []).map(({ alertChannelId, activated }) => ({
      alertChannelId,
      activated,
    })),
    alertChannels: summarizeChannels(row.subscriptions ?? [], row.account_id, reader),
    // null is stored only for checks that use the settings of the account.
    alertSettings: values.alertSettings ?? defaultAlertSettings,
    frequencyOffset: values.frequencyOffset ?? undefined,
    engine: values.engine ?? undefined,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...projectFieldsOf(row.owner),
    ...state,
  }
  if (row.ping_token !== null) {
    const mayPing = roleAllows(reader.role, 'READ_RUN')
    check.heartbeat = {
      ...(isRecord(values.heartbeat) && values.heartbeat),
      pingToken: mayPing ? row.ping_token : undefined,
      pingUrl: mayPing ? `${reader.publicUrl}/ping/${row.ping_token}` : undefined,
    }
  }
  // spec §2.2: the files of a script aren't part of a plain read.
  if (row.dependencies === undefined) check.scriptPath = undefined
  else if (row.check_type !== 'API') check.dependencies = row.dependencies
  else Object.assign(check, unpackHookFiles(row.dependencies))
  return check as Check
}

/** Checks of one account, each with its state. */
export async function serializeChecks(
  deps: Deps,
  account: AccountContext,
  rows: readonly CheckFactsRow[],
  client: Client = deps.store.pool,
): Promise<Check[]> {
  const facts = rows.map((row) => row.facts)
  const states = await deriveStates(client, facts, deps.clock.now())
  const reader = checkReader(deps, account)
  return rows.flatMap((row, index) => {
    const stated = states[index]
    return stated === undefined ? [] : [serializeCheck(row, stated.state, reader)]
  })
}

/** Null: the account doesn't have it. On the connection for short reads. */
export async function readCheck(
  deps: Deps,
  account: AccountContext,
  id: string,
  options: { includeDependencies?: boolean | undefined } = {},
): Promise<Check | null> {
  const { store, clock } = deps
  const row = await findCheckFacts(store, account.id, id, { ...options, now: clock.now() })
  if (row === null) return null
  const [check = null] = await serializeChecks(deps, account, [row], store.reader)
  return check
}

/** Merges the settings of groups into their checks. */
export async function withGroupSettings(
  { store, vault }: Deps,
  account: AccountContext,
  checks: Check[],
): Promise<Check[]> {
  const ids = checks.flatMap(({ groupId }) => (groupId === null ? [] : [groupId]))
  if (ids.length === 0) return checks
  const groups = await loadGroups(store.db, vault, account, ids)
  return checks.map((check) => {
    const group = check.groupId === null ? undefined : groups.get(check.groupId)
    return group === undefined ? check : applyGroup(check, group)
  })
}

interface Entry {
  key: string
  value: string | Sealed
  locked: boolean
  secret?: boolean
}

interface Request {
  headers?: Entry[]
  queryParameters?: Entry[]
  basicAuth?: { username: string; password: string | Sealed } | null
}

type Show = (value: string | Sealed) => string

function shower(accountId: string, { vault, role }: CheckReader): Show {
  const mayOpen = roleAllows(role, 'READ_WRITE')
  return (value) => (isSealed(value) ? (mayOpen ? vault.unseal(accountId, value) : secretMask) : value)
}

function showVariables(variables: Entry[] | null | undefined, show: Show): unknown {
  return (
    variables?.map((variable) => ({ ...variable, value: variable.secret ? null : show(variable.value) })) ??
    variables
  )
}

function showRequest(request: Request | undefined, show: Show): unknown {
  if (request?.headers === undefined) return request
  const { headers, queryParameters, basicAuth } = request
  return {
    ...request,
    headers: showEntries(headers, show),
    queryParameters: showEntries(queryParameters ?? [], show),
    basicAuth: basicAuth ? { ...basicAuth, password: show(basicAuth.password) } : null,
  }
}

function showEntries(entries: Entry[], show: Show): Entry[] {
  return entries.map((entry) => (entry.locked ? { ...entry, value: show(entry.value) } : entry))
}

function summarizeChannels(
  subscribed: SubscribedChannel[],
  accountId: string,
  { vault, role }: CheckReader,
): z.output<typeof AlertChannelSummary> {
  const lists: Record<string, unknown[]> = { EMAIL: [], WEBHOOK: [], SLACK: [], SMS: [] }
  for (const { type, config } of subscribed) {
    if (type === null || config === null) continue
    const opened = openSecrets(vault, accountId, config)
    lists[type]?.push(roleAllows(role, 'READ_WRITE') ? opened : maskSecrets(type, opened))
  }
  const { EMAIL: email, WEBHOOK: webhook, SLACK: slack, SMS: sms } = lists
  return { email, webhook, slack, sms } as z.output<typeof AlertChannelSummary>
}

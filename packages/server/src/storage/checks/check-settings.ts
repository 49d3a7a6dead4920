// Between a check in the words of its contract and its row: columns for what is queried, `settings` for what
// belongs to its type, and every secret sealed.
import type { CheckValues } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type { Tables } from '../core/tables.generated.ts'
import { isSealed, type Sealed, type Vault } from '../core/vault.ts'

type ChecksTable = Tables['checks']

export type CheckColumns = Omit<Selectable<ChecksTable>, 'dependencies'>

export interface PackedCheck {
  columns: Partial<Record<keyof ChecksTable, unknown>>
  settings: Record<string, unknown>
}

const columnOf: Record<string, keyof ChecksTable> = {
  name: 'name',
  description: 'description',
  activated: 'activated',
  muted: 'muted',
  shouldFail: 'should_fail',
  doubleCheck: 'double_check',
  locations: 'locations',
  privateLocations: 'private_locations',
  tags: 'tags',
  frequency: 'frequency',
  frequencyOffset: 'frequency_offset',
  runParallel: 'run_parallel',
  groupId: 'group_id',
  groupOrder: 'group_order',
  runtimeId: 'runtime_id',
  useGlobalAlertSettings: 'use_global_alert_settings',
  setupSnippetId: 'setup_snippet_id',
  tearDownSnippetId: 'tear_down_snippet_id',
  alertSettings: 'alert_settings',
  retryStrategy: 'retry_strategy',
  triggerIncident: 'trigger_incident',
  dependencies: 'dependencies',
}

const elsewhere = new Set(['checkType', 'alertChannelSubscriptions'])

export function packCheck(vault: Vault, accountId: string, values: CheckValues): PackedCheck {
  const columns: PackedCheck['columns'] = {}
  const settings: PackedCheck['settings'] = {}
  for (const [field, value] of Object.entries(values)) {
    if (value === undefined || elsewhere.has(field)) continue
    const column = columnOf[field]
    if (column !== undefined) columns[column] = value
    else if (field === 'heartbeat') {
      // The token is a column: it is unique, and a ping is found by it.
      const { pingToken, ...heartbeat } = value as { pingToken: string }
      columns.ping_token = pingToken
      settings.heartbeat = heartbeat
    } else settings[field] = sealField(field, value, (text) => vault.seal(accountId, text))
  }
  return { columns, settings }
}

/** Sealed values stay sealed: who may see them is not known here. */
export function unpackCheck(row: CheckColumns): Record<string, unknown> {
  const settings = row.settings as Record<string, unknown>
  const values: Record<string, unknown> = {
    ...settings,
    checkType: row.check_type,
    name: row.name,
    description: row.description,
    activated: row.activated,
    muted: row.muted,
    shouldFail: row.should_fail,
    doubleCheck: row.double_check,
    locations: row.locations,
    privateLocations: row.private_locations,
    tags: row.tags,
    frequency: row.frequency,
    frequencyOffset: row.frequency_offset,
    runParallel: row.run_parallel,
    groupId: row.group_id,
    groupOrder: row.group_order,
    runtimeId: row.runtime_id,
    useGlobalAlertSettings: row.use_global_alert_settings,
    alertSettings: row.alert_settings,
    retryStrategy: row.retry_strategy,
    triggerIncident: row.trigger_incident,
    setupSnippetId: row.setup_snippet_id,
    tearDownSnippetId: row.tear_down_snippet_id,
    // A check may be older than the setting.
    unknownAfterMissedRuns: settings.unknownAfterMissedRuns ?? null,
  }
  if (row.ping_token !== null) {
    values.heartbeat = { ...(settings.heartbeat as object), pingToken: row.ping_token }
  }
  return values
}

interface Variable {
  key: string
  value?: string | Sealed | null
  locked: boolean
  secret?: boolean
}

/** Whoever sends back what was read has no value for a secret: it stays what it was. */
export function keepSecrets(sent: unknown, stored: unknown): unknown {
  if (!Array.isArray(sent)) return sent
  const kept = new Map(((stored ?? []) as Variable[]).map(({ key, value }) => [key, value]))
  return sent.map((variable: Variable) =>
    variable.secret && (variable.value ?? null) === null
      ? { ...variable, value: kept.get(variable.key) }
      : variable,
  )
}

interface StoredRequest {
  headers?: Variable[]
  queryParameters?: Variable[]
  basicAuth?: { username: string; password: string | Sealed } | null
}

type Change = (text: string) => string | Sealed

function sealField(field: string, value: unknown, seal: Change): unknown {
  if (field === 'environmentVariables')
    return (value as Variable[] | null)?.map((entry) => sealVariable(entry, seal)) ?? null
  if (field !== 'request') return value
  const request = value as StoredRequest
  const sealed: StoredRequest = { ...request }
  if (request.headers !== undefined)
    sealed.headers = request.headers.map((entry) => sealVariable(entry, seal))
  if (request.queryParameters !== undefined) {
    sealed.queryParameters = request.queryParameters.map((entry) => sealVariable(entry, seal))
  }
  if (request.basicAuth) {
    const { username, password } = request.basicAuth
    sealed.basicAuth = { username, password: isSealed(password) ? password : seal(password) }
  }
  return sealed
}

function sealVariable(variable: Variable, seal: Change): Variable {
  const { value, locked, secret } = variable
  return (locked || secret) && typeof value === 'string' ? { ...variable, value: seal(value) } : variable
}

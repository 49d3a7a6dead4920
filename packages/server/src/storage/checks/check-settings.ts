// Converts between a check and its row: columns for what is queried, `settings` for the rest, with all secrets sealed.
import { type CheckValues, isRecord, secretMask } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type { Tables } from '../core/tables.generated.ts'
import type { Sealed, Vault } from '../core/vault.ts'

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
  mutedUntil: 'muted_until',
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

/** Files of setup and teardown scripts share the column that other checks have for theirs. */
const hookFiles: Readonly<Record<string, string>> = {
  setupScriptDependencies: 'setup',
  tearDownScriptDependencies: 'tearDown',
}

/** From the column of a check that has such scripts. */
export function unpackHookFiles(dependencies: unknown): Record<string, unknown> {
  const stored = isRecord(dependencies) ? dependencies : {}
  return Object.fromEntries(Object.entries(hookFiles).map(([field, name]) => [field, stored[name] ?? null]))
}

const separatelyStoredFields = new Set(['checkType', 'alertChannelSubscriptions'])

export function packCheck(vault: Vault, accountId: string, values: CheckValues): PackedCheck {
  const columns: PackedCheck['columns'] = {}
  const settings: PackedCheck['settings'] = {}
  for (const [field, value] of Object.entries(values)) {
    if (value === undefined || separatelyStoredFields.has(field)) continue
    const column = columnOf[field]
    const files = hookFiles[field]
    if (files !== undefined) columns.dependencies = { ...Object(columns.dependencies), [files]: value }
    else if (column !== undefined) columns[column] = value
    else if (field === 'heartbeat' && isRecord(value)) {
      // The token is a column: it's unique and indexed for pings.
      const { pingToken, ...heartbeat } = value
      columns.ping_token = pingToken
      settings.heartbeat = heartbeat
    } else settings[field] = sealField(field, value, (text) => vault.seal(accountId, text))
  }
  return { columns, settings }
}

/** Sealed values stay sealed: the caller decides who may see them. */
export function unpackCheck(row: CheckColumns): Record<string, unknown> {
  const { settings } = row
  const values: Record<string, unknown> = {
    ...settings,
    checkType: row.check_type,
    name: row.name,
    description: row.description,
    activated: row.activated,
    muted: row.muted,
    mutedUntil: row.muted_until,
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
    intent: settings.intent ?? null,
  }
  if (row.ping_token !== null) {
    values.heartbeat = {
      ...(isRecord(settings.heartbeat) ? settings.heartbeat : {}),
      pingToken: row.ping_token,
    }
  }
  return values
}

/** Secrets are read without their value: a secret that is sent back like this keeps its stored value. */
export function keepSecrets(sent: unknown, stored: unknown): unknown {
  if (!Array.isArray(sent)) return sent
  const known = Array.isArray(stored) ? stored.filter(isRecord) : []
  const values = new Map(known.map(({ key, value }) => [key, value]))
  return sent.map((variable: unknown) =>
    isRecord(variable) && variable.secret && (variable.value ?? null) === null
      ? { ...variable, value: values.get(variable.key) }
      : variable,
  )
}

/** Like `keepSecrets`, for every secret of a check, also those that were read masked. */
export function keepAllSecrets(sent: CheckValues, stored: CheckValues): CheckValues {
  const values: Record<string, unknown> = { ...sent }
  const { environmentVariables: variables, request } = sent
  const before = stored.environmentVariables
  if (variables !== undefined)
    values.environmentVariables = keepMasked(keepSecrets(variables, before), before)
  if (isRecord(request))
    values.request = keepRequestSecrets(request, isRecord(stored.request) ? stored.request : {})
  return values
}

function keepRequestSecrets(sent: Record<string, unknown>, stored: Record<string, unknown>) {
  const request = { ...sent }
  for (const field of ['headers', 'queryParameters']) {
    if (field in sent) request[field] = keepMasked(sent[field], stored[field])
  }
  const { basicAuth } = sent
  if (isRecord(basicAuth) && basicAuth.password === secretMask && isRecord(stored.basicAuth))
    request.basicAuth = { ...basicAuth, password: stored.basicAuth.password }
  return request
}

/** Entries that are masked by their key; the others as they were sent. */
function keepMasked(sent: unknown, stored: unknown): unknown {
  if (!Array.isArray(sent)) return sent
  const known = Array.isArray(stored) ? stored.filter(isRecord) : []
  return sent.map((entry: unknown) => {
    if (!isRecord(entry) || entry.value !== secretMask) return entry
    const kept = known.find(({ key, locked, secret }) => key === entry.key && (locked || secret))
    return kept === undefined ? entry : { ...entry, value: kept.value }
  })
}

type Seal = (text: string) => Sealed

function sealField(field: string, value: unknown, seal: Seal): unknown {
  if (field === 'environmentVariables') return sealVariables(value, seal)
  if (field !== 'request' || !isRecord(value)) return value
  const sealed = { ...value }
  if ('headers' in value) sealed.headers = sealVariables(value.headers, seal)
  if ('queryParameters' in value) sealed.queryParameters = sealVariables(value.queryParameters, seal)
  if (isRecord(value.basicAuth)) {
    const { username, password } = value.basicAuth
    sealed.basicAuth = { username, password: typeof password === 'string' ? seal(password) : password }
  }
  return sealed
}

function sealVariables(variables: unknown, seal: Seal): unknown {
  if (!Array.isArray(variables)) return variables
  return variables.map((variable: unknown) => {
    if (!isRecord(variable) || typeof variable.value !== 'string') return variable
    return variable.locked || variable.secret ? { ...variable, value: seal(variable.value) } : variable
  })
}

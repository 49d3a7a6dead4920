// Describes a migrated database: schema.sql for people, tables.generated.ts for the compiler.
// The npm packages of PostgreSQL have no pg_dump, so this reads the catalog.
import type pg from 'pg'

interface Column {
  table: string
  name: string
  type: string
  is_required: boolean
  is_generated: boolean
  default: string | null
  identity: string
  comment: string | null
}

export async function dumpSchema(pool: pg.Pool): Promise<string> {
  const columns = await readColumns(pool)
  const { rows: tables } = await pool.query<{
    name: string
    is_unlogged: boolean
    partition_by: string | null
    comment: string | null
  }>(`
    select relname as name, relpersistence = 'u' as is_unlogged, pg_get_partkeydef(oid) as partition_by,
      obj_description(oid, 'pg_class') as comment
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`)
  const { rows: constraints } = await pool.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    order by conrelid::regclass::text, contype desc, conname`)
  const { rows: indexes } = await pool.query<{
    table: string
    definition: string
    name: string
    comment: string | null
  }>(`
    select t.relname as "table", i.relname as name, pg_get_indexdef(i.oid) as definition,
      obj_description(i.oid, 'pg_class') as comment
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint c where c.conindid = i.oid and c.contype in ('p', 'u'))
    order by t.relname, i.relname`)
  const blocks = tables.map((table) => {
    const lines = columns.filter((column) => column.table === table.name).map(columnLine)
    const rules = constraints
      .filter((constraint) => constraint.table === table.name)
      .map(({ name, definition }) => `constraint ${name} ${definition}`)
    const body = [...lines, ...rules].map((line) => `  ${line}`).join(',\n')
    const partitions = table.partition_by === null ? '' : ` partition by ${table.partition_by}`
    const parts = [
      `create ${table.is_unlogged ? 'unlogged ' : ''}table ${table.name} (\n${body}\n)${partitions};`,
    ]
    if (table.comment !== null) parts.push(`comment on table ${table.name} is ${quote(table.comment)};`)
    for (const column of columns) {
      if (column.table !== table.name || column.comment === null) continue
      parts.push(`comment on column ${table.name}.${column.name} is ${quote(column.comment)};`)
    }
    for (const index of indexes) {
      if (index.table !== table.name) continue
      parts.push(`${index.definition.replace(' public.', ' ')};`)
      if (index.comment !== null) parts.push(`comment on index ${index.name} is ${quote(index.comment)};`)
    }
    return parts.join('\n')
  })
  const { rows: views } = await pool.query<{ name: string; definition: string; comment: string | null }>(`
    select relname as name, pg_get_viewdef(oid) as definition, obj_description(oid, 'pg_class') as comment
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by relname`)
  for (const { name, definition, comment } of views) {
    const parts = [`create view ${name} as\n${definition}`]
    if (comment !== null) parts.push(`comment on view ${name} is ${quote(comment)};`)
    blocks.push(parts.join('\n'))
  }
  return `-- Generated from migrations/ by npm run generate; do not edit.\n\n${blocks.join('\n\n')}\n`
}

export async function describeTables(pool: pg.Pool): Promise<string> {
  const columns = await readColumns(pool)
  const tables = [...new Set(columns.map((column) => column.table))]
  const blocks = tables.map((table) => {
    const fields = columns
      .filter((column) => column.table === table)
      .map((column) => `    ${column.name}: ${fieldType(column)}`)
    return `  ${table}: {\n${fields.join('\n')}\n  }`
  })
  return `// Generated from migrations/ by npm run generate; do not edit.
import type * as contracts from '@vedette/contracts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { z } from 'zod'
import type { CheckSessionOptions, TestSessionOptions } from './session-columns.ts'
import type { Sealed } from './vault.ts'

/** Read as ISO text, written as text or Date. */
type Instant = ColumnType<string, string | Date, string | Date>
type NullableInstant = ColumnType<string | null, string | Date | null | undefined, string | Date | null>
type GeneratedInstant = ColumnType<string, string | Date | undefined, string | Date>
/** Read parsed, written as JSON text. */
type Json<T = unknown> = ColumnType<T, string, string>
type NullableJson<T = unknown> = ColumnType<T | null, string | null | undefined, string | null>
type GeneratedJson<T = unknown> = ColumnType<T, string | undefined, string>
/** Text of a set that contracts define. It's checked when it is written, so its type is known when it is read. */
type OneOf<T extends string> = ColumnType<T, string, string>
type NullableOneOf<T extends string> = ColumnType<T | null, string | null | undefined, string | null>
type ListOf<T extends string> = ColumnType<T[], readonly string[], readonly string[]>

export interface Tables {
${blocks.join('\n')}
}
`
}

async function readColumns(pool: pg.Pool): Promise<Column[]> {
  const { rows } = await pool.query<Column>(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as is_required, a.attidentity as identity,
      a.atthasdef or a.attidentity <> '' as is_generated,
      pg_get_expr(d.adbin, d.adrelid) as "default", col_description(c.oid, a.attnum) as comment
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`)
  return rows
}

function columnLine(column: Column): string {
  const parts = [column.name, column.type]
  if (column.identity === 'a') parts.push('generated always as identity')
  if (column.default !== null) parts.push(`default ${column.default}`)
  if (column.is_required) parts.push('not null')
  return parts.join(' ')
}

const scalarTypes: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  bytea: 'Buffer',
  date: 'string',
}

/** Columns whose type says more than that of PostgreSQL, by name, or by table and name. */
const columnTypes: Record<string, string> = {
  alert_settings: 'contracts.AlertSettings',
  check_type: 'contracts.CheckType',
  ran_at: 'contracts.RanAt',
  role: 'contracts.Role',
  'accounts.settings': 'contracts.AccountSettings',
  'agentic_scripts.status': '(typeof contracts.agenticScriptStatuses)[number]',
  'alert_channels.config': 'Record<string, unknown>',
  'alert_channels.type': 'contracts.ChannelType',
  'alert_notifications.status': '(typeof contracts.notificationStatuses)[number]',
  'alert_notifications.type': 'contracts.ChannelType',
  'artifacts.type': '(typeof contracts.assetTypes)[number]',
  'audit_entries.action': 'contracts.AuditAction',
  'audit_entries.changes': "z.output<typeof contracts.AuditEntry>['changes']",
  'audit_entries.outcome': 'contracts.AuditOutcome',
  'check_alerts.alert_type': 'contracts.AlertType',
  'check_groups.locations': 'contracts.LocationId',
  'check_groups.retry_strategy': "contracts.CheckGroupValues['retryStrategy']",
  'check_groups.runtime_id': 'contracts.RuntimeId',
  'check_groups.settings': 'contracts.CheckGroupSettings',
  'check_sessions.options': 'CheckSessionOptions',
  'check_sessions.run_source': 'contracts.RunSource',
  'check_sessions.status': 'contracts.CheckSessionStatus',
  'checks.retry_strategy': 'contracts.RetryStrategy',
  'checks.settings': 'Record<string, unknown>',
  'checks.trigger_incident': 'contracts.TriggerIncident',
  'client_certificates.passphrase': 'Sealed',
  'client_certificates.private_key': 'Sealed',
  'dashboard_incident_updates.status': 'z.output<typeof contracts.DashboardIncidentStatus>',
  'dashboard_incidents.impact': 'z.output<typeof contracts.DashboardIncidentImpact>',
  'dashboards.settings': 'contracts.DashboardSettings',
  'drafts.sealed_check': 'Sealed',
  'drafts.sealed_group': 'Sealed',
  'heartbeat_events.state': 'contracts.HeartbeatState',
  'incident_services.severity': 'z.output<typeof contracts.StatusPageIncidentSeverity>',
  'incident_templates.incident': 'contracts.StoredIncident',
  'incident_updates.status': 'z.output<typeof contracts.StatusPageIncidentStatus>',
  'incidents.severity': 'z.output<typeof contracts.StatusPageIncidentSeverity>',
  'location_alarms.cause': 'contracts.AlarmCause',
  'location_alarms.facts': 'Partial<z.output<typeof contracts.LocationAlarm>> & { checks: string[] }',
  'location_alarms.kind': "z.output<typeof contracts.LocationAlarm>['kind']",
  'maintenance_windows.repeat_unit': "NonNullable<contracts.MaintenanceWindowValues['repeatUnit']>",
  'maintenance_windows.status_page_visibility': 'contracts.MaintenanceVisibility',
  'page_previews.draft': 'contracts.PagePreviewDraft',
  'page_webhook_deliveries.event': 'z.output<typeof contracts.StatusPageWebhookEvent>',
  'page_webhook_deliveries.status': "z.output<typeof contracts.StatusPageWebhookDelivery>['status']",
  'page_webhooks.events': 'z.output<typeof contracts.StatusPageWebhookEvent>',
  'page_webhooks.secret': 'Sealed',
  'private_locations.proxy_url': 'string | Sealed',
  'results.failure_kind': 'contracts.FailureKind',
  'results.result_type': 'z.output<typeof contracts.ResultType>',
  'root_cause_analyses.analysis': 'contracts.RootCause',
  'status_page_components.configuration': 'z.output<typeof contracts.StatusPageComponentConfiguration>',
  'status_page_rule_components.impact': 'z.output<typeof contracts.ComponentImpact>',
  'status_page_subscriptions.status': 'z.output<typeof contracts.StatusPageSubscriptionStatus>',
  'status_page_subscriptions.type': "z.output<typeof contracts.StatusPageSubscription>['type']",
  'status_pages.settings': 'contracts.StatusPageSettings',
  'test_session_error_groups.pwt_metadata': 'contracts.SuiteTest[]',
  'test_session_results.result_type': "z.output<typeof contracts.TestSessionResult>['resultType']",
  'test_session_results.status': '(typeof contracts.testSessionStatuses)[number]',
  'test_sessions.metadata': 'contracts.TestSessionMetadata',
  'test_sessions.options': 'TestSessionOptions',
  'test_sessions.provider': '(typeof contracts.testSessionProviders)[number]',
  'test_sessions.status': '(typeof contracts.testSessionStatuses)[number]',
  'triggers.token': 'Sealed',
  'variables.value': 'string | Sealed',
}

function fieldType(column: Column): string {
  const known = columnTypes[`${column.table}.${column.name}`] ?? columnTypes[column.name]
  if (known !== undefined && column.type === 'text[]') return `ListOf<${known}>`
  if (known !== undefined && column.type !== 'jsonb')
    return `${column.is_required ? 'OneOf' : 'NullableOneOf'}<${known}>`
  const nullable = column.is_required ? '' : ' | null'
  if (column.type.startsWith('timestamp')) {
    if (!column.is_required) return 'NullableInstant'
    return column.is_generated ? 'GeneratedInstant' : 'Instant'
  }
  if (column.type === 'jsonb') {
    const json = column.is_required ? (column.is_generated ? 'GeneratedJson' : 'Json') : 'NullableJson'
    return known === undefined ? json : `${json}<${known}>`
  }
  const isArray = column.type.endsWith('[]')
  const scalar = scalarTypes[column.type.replace('[]', '')]
  if (scalar === undefined) throw new Error(`No type for ${column.table}.${column.name}: ${column.type}`)
  const type = `${scalar}${isArray ? '[]' : ''}${nullable}`
  if (column.identity === 'a') return `GeneratedAlways<${type}>`
  return column.is_generated ? `Generated<${type}>` : type
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

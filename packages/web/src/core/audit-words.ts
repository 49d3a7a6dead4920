// Entries of the audit log in words, and where they lead.
import type { ResponseTo } from '../api/call.ts'

export type AuditEntry = ResponseTo<'GET /v1/audit-log'>['entries'][number]

interface Kind {
  /** `check`. */
  noun: string
  /** The screen of one. */
  address?: (id: string) => string
}

/** By the group of the reference that the API names. */
export const auditKinds: Readonly<Record<string, Kind>> = {
  Checks: { noun: 'check', address: (id) => `/checks/${id}` },
  'Check groups': { noun: 'group', address: (id) => `/checks?groupId=${id}` },
  'Check sessions': { noun: 'check session' },
  'Test sessions': { noun: 'test session' },
  'Alert channels': { noun: 'alert channel', address: (id) => `/alerts/channels/${id}` },
  'Environment variables': {
    noun: 'variable',
    address: (id) => `/settings/variables/${encodeURIComponent(id)}`,
  },
  Snippets: { noun: 'snippet', address: (id) => `/settings/snippets/${id}` },
  'Client certificates': { noun: 'client certificate', address: () => '/settings/certificates' },
  'Maintenance windows': { noun: 'maintenance window' },
  'Private locations': { noun: 'private location' },
  'Status pages': { noun: 'status page', address: (id) => `/status-pages/${id}` },
  'Status page incidents': { noun: 'incident', address: (id) => `/incidents/${id}` },
  'Status page services': { noun: 'service' },
  'Status page components': { noun: 'component' },
  'Status page automation rules': { noun: 'automation rule' },
  'Status page subscriptions': { noun: 'subscription' },
  'Status page webhooks': { noun: 'webhook' },
  'Incident templates': { noun: 'incident template' },
  Dashboards: { noun: 'dashboard', address: (id) => `/dashboards/${id}` },
  'Dashboard incidents': { noun: 'incident of a dashboard' },
  Deployments: { noun: 'deployment', address: () => '/settings/deployments' },
  'Error groups': { noun: 'error' },
  'Root-cause analyses': { noun: 'analysis' },
  Triggers: { noun: 'trigger URL', address: () => '/settings/triggers' },
  'API keys': { noun: 'API key' },
  Metrics: { noun: 'Prometheus token', address: () => '/settings/prometheus' },
  Accounts: { noun: 'account', address: () => '/settings/account' },
  Users: { noun: 'user' },
  'Sign-in': { noun: 'sign-in' },
}

/** Where a verb and a kind don't say it. */
const operations: Readonly<Record<string, { words: string }>> = {
  'POST /v1/sign-in': { words: 'signed in' },
  'DELETE /v1/sign-in': { words: 'signed out' },
  'POST /v1/sign-in/confirmation': { words: 'entered their password again' },
  'DELETE /v1/sign-ins/{id}': { words: 'ended one of their sign-ins' },
  'POST /v1/setup': { words: 'set up this server' },
  'POST /v1/password-resets/{token}': { words: 'chose a new password by a link' },
  'POST /v1/users/me/password': { words: 'changed their password' },
  'POST /v1/users/me/email': { words: 'asked for another email,' },
  'POST /v1/users/me/email/confirmation': { words: 'changed their email to' },
  'PATCH /v1/users/me': { words: 'changed their name to' },
  'POST /v1/users/me/api-keys': { words: 'created an API key of their own,' },
  'DELETE /v1/users/me/api-keys/{id}': { words: 'revoked an API key of their own' },
  'POST /v1/service-api-keys': { words: 'created the service API key' },
  'DELETE /v1/service-api-keys/{id}': { words: 'revoked the service API key' },
  'POST /v1/accounts/me/prometheus-tokens': { words: 'created a Prometheus token' },
  'DELETE /v1/accounts/me/prometheus-tokens/{id}': { words: 'revoked a Prometheus token' },
  'POST /v1/accounts/me/invites': { words: 'invited' },
  'DELETE /v1/accounts/me/invites/{id}': { words: 'withdrew the invitation of' },
  'POST /v1/invitations/{token}': { words: 'accepted an invitation' },
  'PATCH /v1/accounts/me/members/{userId}': { words: 'changed the role of' },
  'DELETE /v1/accounts/me/members/{userId}': { words: 'removed' },
  'POST /v1/deployments': { words: 'recorded a deployment' },
  'POST /v1/triggers/checks/{checkId}': { words: 'created the trigger URL of a check' },
  'POST /v1/triggers/check-groups/{groupId}': { words: 'created the trigger URL of a group' },
  'POST /v1/alert-channels/{id}/test': { words: 'sent a test message to an alert channel' },
  'POST /v1/check-sessions/trigger': { words: 'ran checks' },
  'POST /v1/test-sessions/drafts': { words: 'tried out a check' },
  'POST /v1/test-sessions/run': { words: 'tested the checks of a project' },
  'POST /next/test-sessions/trigger': { words: 'ran checks as a test' },
}

const verbs: Record<AuditEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  other: '',
}

/** What comes between the person and the name of the resource: `changed the check`. */
export function actionInWords({ operation, action, summary, resource, outcome }: AuditEntry): string {
  if (outcome === 'refused' && operation !== 'POST /v1/sign-in') return `was refused: ${lowerFirst(summary)}`
  if (outcome === 'refused') return 'tried to sign in with a wrong password'
  const own = operations[operation]
  if (own !== undefined) return own.words
  if (action === 'other') return `used “${lowerFirst(summary)}”`
  return `${verbs[action]} the ${auditKinds[resource.kind]?.noun ?? lowerFirst(resource.kind)}`
}

/** Null: it has no screen, or is gone. */
export function addressOf({ action, operation, resource, outcome }: AuditEntry): string | null {
  if (resource.id === null || action === 'delete' || outcome === 'refused') return null
  if (/\/(members|invites)/.test(operation)) return '/settings/members'
  if (operation.startsWith('POST /v1/service-api-keys')) return '/settings/api-keys'
  return auditKinds[resource.kind]?.address?.(resource.id) ?? null
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

const contextLines = 2

/** Lines that were removed and added, with two lines around them. */
export function diffLines(before: unknown, after: unknown): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++
  const lines = (texts: readonly string[], kind: DiffLine['kind']) => texts.map((text) => ({ kind, text }))
  return [
    ...lines(old.slice(Math.max(0, start - contextLines), start), 'same'),
    ...lines(old.slice(start, old.length - end), 'removed'),
    ...lines(now.slice(start, now.length - end), 'added'),
    ...lines(old.slice(old.length - end, old.length - end + contextLines), 'same'),
  ]
}

/** Of a value that wasn't there, none. */
function linesOf(value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (typeof value === 'string') return value === '' ? ['(empty)'] : value.split('\n')
  const flat = JSON.stringify(value)
  return flat.length <= 60 ? [flat] : JSON.stringify(value, null, 2).split('\n')
}

// The severity and color of a message.
import type { AlertKind, AlertMessage } from './message.ts'

export type Severity = 'critical' | 'warning' | 'ok'

const severities = {
  failure: 'critical',
  degraded: 'warning',
  ssl: 'warning',
  recovery: 'ok',
  unknown: 'warning',
  resumed: 'ok',
} as const satisfies Record<AlertKind, Severity>

const colors = {
  critical: '#d92d20',
  warning: '#dc6803',
  ok: '#079455',
} as const satisfies Record<Severity, string>

export function severityOf({ kind }: AlertMessage): Severity {
  return severities[kind]
}

export function colorOf(message: AlertMessage): string {
  return colors[severityOf(message)]
}

/** Whether the message resolves an alert. */
export function isOver({ kind }: AlertMessage): boolean {
  return kind === 'recovery' || kind === 'resumed'
}

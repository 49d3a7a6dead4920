// How bad what a message tells is, as tools have levels and colours for it.
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

const colours = {
  critical: '#d92d20',
  warning: '#dc6803',
  ok: '#079455',
} as const satisfies Record<Severity, string>

export function severityOf({ kind }: AlertMessage): Severity {
  return severities[kind]
}

export function colourOf(message: AlertMessage): string {
  return colours[severityOf(message)]
}

/** For tools that keep something open until they hear that it is over. */
export function isOver({ kind }: AlertMessage): boolean {
  return kind === 'recovery' || kind === 'resumed'
}

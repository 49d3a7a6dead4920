import type { AlertType } from '@vedette/contracts'
import type { StateName } from './states.ts'

export const alertLabels: Record<AlertType, { state: StateName; label: string }> = {
  NO_ALERT: { state: 'unknown', label: 'Nobody notified' },
  ALERT_FAILURE: { state: 'failing', label: 'Failing' },
  ALERT_FAILURE_REMAIN: { state: 'failing', label: 'Still failing' },
  ALERT_FAILURE_DEGRADED: { state: 'degraded', label: 'Failing to degraded' },
  ALERT_RECOVERY: { state: 'passing', label: 'Recovered' },
  ALERT_DEGRADED: { state: 'degraded', label: 'Degraded' },
  ALERT_DEGRADED_REMAIN: { state: 'degraded', label: 'Still degraded' },
  ALERT_DEGRADED_FAILURE: { state: 'failing', label: 'Degraded to failing' },
  ALERT_DEGRADED_RECOVERY: { state: 'passing', label: 'Recovered' },
  ALERT_SSL: { state: 'degraded', label: 'Certificate expires' },
}

// What people call incidents of status pages and dashboards.
import type { DashboardIncident, Incident } from '../api/pages.ts'
import type { StateName } from './states.ts'

type Severity = Incident['severity']
type Status = DashboardIncident['incidentUpdates'][number]['status']

export const severities: Record<Severity, { label: string; state: StateName; means: string }> = {
  CRITICAL: { label: 'Critical', state: 'failing', means: 'Major outage' },
  MAJOR: { label: 'Major', state: 'failing', means: 'Partial outage' },
  MEDIUM: { label: 'Medium', state: 'degraded', means: 'Degraded performance' },
  MINOR: { label: 'Minor', state: 'degraded', means: 'Degraded performance' },
}

export const severityOptions = (['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'] as const).map((value) => ({
  value,
  label: `${severities[value].label}: ${severities[value].means.toLowerCase()}`,
}))

export const statusLabels: Record<Status, string> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
  MAINTENANCE: 'Maintenance',
}

export const statusOptions = (['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const).map(
  (value) => ({ value, label: statusLabels[value] }),
)

export const impacts: Record<DashboardIncident['impact'], { label: string; state: StateName }> = {
  MAJOR: { label: 'Major', state: 'failing' },
  MINOR: { label: 'Minor', state: 'degraded' },
  MAINTENANCE: { label: 'Maintenance', state: 'maintenance' },
}

export const impactOptions = (['MAJOR', 'MINOR', 'MAINTENANCE'] as const).map((value) => ({
  value,
  label: impacts[value].label,
}))

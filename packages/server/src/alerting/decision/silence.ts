import type { AlertPolicy } from '../../storage/alerts/alert-policies.ts'
import type { Silence } from './decide.ts'

export function silenceOf(policy: AlertPolicy, isInMaintenance: boolean): Silence | null {
  if (!policy.isActive) return 'inactive'
  if (policy.isMuted) return 'muted'
  return isInMaintenance ? 'maintenance' : null
}

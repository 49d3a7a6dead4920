// The six states of a check, and what people call them.
import type { OverviewCheck } from '../api/types.ts'

export type StateName = OverviewCheck['state']

/** The worst first. */
export const states = [
  'failing',
  'degraded',
  'unknown',
  'passing',
  'maintenance',
  'inactive',
] as const satisfies StateName[]

export const stateLabels: Record<StateName, string> = {
  passing: 'Passing',
  degraded: 'Degraded',
  failing: 'Failing',
  unknown: 'Not running',
  maintenance: 'Maintenance',
  inactive: 'Paused',
}

export function isState(text: string): text is StateName {
  return Object.hasOwn(stateLabels, text)
}

export const typeLabels: Record<OverviewCheck['checkType'], string> = {
  API: 'API',
  BROWSER: 'Browser',
  MULTI_STEP: 'Multi-step',
  HEARTBEAT: 'Heartbeat',
  ICMP: 'Ping',
  TCP: 'TCP',
  PLAYWRIGHT: 'Playwright',
  URL: 'URL',
  DNS: 'DNS',
  AGENTIC: 'Agentic',
  GRPC: 'gRPC',
  SSL: 'TLS',
  TRACEROUTE: 'Traceroute',
}

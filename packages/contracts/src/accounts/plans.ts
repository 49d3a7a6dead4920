// Entitlements by plan. The self-hosted plan has no limits; the others are for operators who provide accounts to customers.

export const planIds = ['self-hosted', 'hobby', 'starter', 'team', 'CONTRACT'] as const

export type PlanId = (typeof planIds)[number]

/** In ascending order: a missing entitlement is offered with the first plan that includes it. */
export const plansByRank: PlanId[] = ['hobby', 'starter', 'team', 'CONTRACT', 'self-hosted']

export const entitlements = {
  API_CHECKS: { type: 'metered', name: 'API checks', description: 'API and multi-step checks' },
  BROWSER_CHECKS: { type: 'metered', name: 'Browser checks', description: 'Checks that drive a browser' },
  PLAYWRIGHT_CHECKS: {
    type: 'metered',
    name: 'Playwright suites',
    description: 'Whole test suites run as checks',
  },
  UPTIME_MONITORS: {
    type: 'metered',
    name: 'Uptime monitors',
    description: 'URL, TCP, DNS, ICMP, SSL, gRPC and traceroute monitors',
  },
  HEARTBEAT_MONITORS: {
    type: 'metered',
    name: 'Heartbeat monitors',
    description: 'Monitors that wait for a ping',
  },
  AGENTIC_CHECKS: { type: 'flag', name: 'Agentic checks', description: 'Checks described in words' },
  CHECK_GROUPS: {
    type: 'metered',
    name: 'Check groups',
    description: 'Groups of checks with shared settings',
  },
  PRIVATE_LOCATIONS: {
    type: 'metered',
    name: 'Private locations',
    description: 'Locations with agents of your own',
  },
  PARALLEL_SCHEDULING: { type: 'flag', name: 'Parallel runs', description: 'Runs in all locations at once' },
  HIGH_FREQUENCY: { type: 'flag', name: 'High frequency', description: 'Runs every 10, 20 or 30 seconds' },
  INCIDENT_AUTOMATION: {
    type: 'flag',
    name: 'Incident automation',
    description: 'Checks that open and resolve incidents',
  },
  SMS_ALERTS: {
    type: 'flag',
    name: 'SMS and phone alerts',
    description: 'Alerts by text message and phone call',
  },
  ADVANCED_ALERT_CHANNELS: {
    type: 'flag',
    name: 'Advanced alert channels',
    description: 'PagerDuty, Opsgenie and other on-call tools',
  },
  ROOT_CAUSE_ANALYSIS: {
    type: 'flag',
    name: 'Root-cause analysis',
    description: 'Why an error group happens, on request or automatically',
  },
} as const satisfies Record<string, { type: 'metered' | 'flag'; name: string; description: string }>

export type EntitlementKey = keyof typeof entitlements
export type MeteredKey = {
  [K in EntitlementKey]: (typeof entitlements)[K]['type'] extends 'metered' ? K : never
}[EntitlementKey]
export type FlagKey = Exclude<EntitlementKey, MeteredKey>

export interface Plan {
  displayName: string
  /** The tier of both add-ons, communicate and resolve. */
  addonTier: 'hobby' | 'starter' | 'team'
  /** Absent: no limit. */
  maxLocationsPerCheck?: number
  /** Absent: no limit. */
  quantities: Partial<Record<MeteredKey, number>>
  missing: FlagKey[]
}

export const plans: Record<PlanId, Plan> = {
  'self-hosted': { displayName: 'Self-hosted', addonTier: 'team', quantities: {}, missing: [] },
  hobby: {
    displayName: 'Hobby',
    addonTier: 'hobby',
    maxLocationsPerCheck: 3,
    quantities: {
      API_CHECKS: 10,
      BROWSER_CHECKS: 10,
      PLAYWRIGHT_CHECKS: 1,
      UPTIME_MONITORS: 10,
      HEARTBEAT_MONITORS: 10,
      CHECK_GROUPS: 5,
      PRIVATE_LOCATIONS: 0,
    },
    missing: [
      'AGENTIC_CHECKS',
      'PARALLEL_SCHEDULING',
      'HIGH_FREQUENCY',
      'INCIDENT_AUTOMATION',
      'SMS_ALERTS',
      'ADVANCED_ALERT_CHANNELS',
      'ROOT_CAUSE_ANALYSIS',
    ],
  },
  starter: {
    displayName: 'Starter',
    addonTier: 'starter',
    maxLocationsPerCheck: 4,
    quantities: {
      API_CHECKS: 50,
      BROWSER_CHECKS: 20,
      PLAYWRIGHT_CHECKS: 5,
      UPTIME_MONITORS: 50,
      HEARTBEAT_MONITORS: 50,
      CHECK_GROUPS: 20,
      PRIVATE_LOCATIONS: 1,
    },
    missing: [
      'AGENTIC_CHECKS',
      'PARALLEL_SCHEDULING',
      'INCIDENT_AUTOMATION',
      'ADVANCED_ALERT_CHANNELS',
      'ROOT_CAUSE_ANALYSIS',
    ],
  },
  team: {
    displayName: 'Team',
    addonTier: 'team',
    maxLocationsPerCheck: 6,
    quantities: {
      API_CHECKS: 200,
      BROWSER_CHECKS: 50,
      PLAYWRIGHT_CHECKS: 20,
      UPTIME_MONITORS: 200,
      HEARTBEAT_MONITORS: 200,
      CHECK_GROUPS: 100,
      PRIVATE_LOCATIONS: 5,
    },
    missing: ['INCIDENT_AUTOMATION'],
  },
  CONTRACT: { displayName: 'Enterprise', addonTier: 'team', quantities: {}, missing: [] },
}

/** A plan that this release doesn't know has no limits: a name must not lock out an account. */
export function planOf(id: string): Plan {
  const byId: Readonly<Record<string, Plan>> = plans
  return byId[id] ?? plans['self-hosted']
}

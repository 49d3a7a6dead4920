import type { EnclosingGroup } from '@vedette/contracts'

/** Says nothing about how checks run, alert or retry: where only places, tags and activation count. */
export const neutralGroup: Omit<EnclosingGroup, 'activated' | 'locations' | 'privateLocations'> = {
  muted: false,
  tags: [],
  runParallel: null,
  runtimeId: null,
  doubleCheck: false,
  retryStrategy: 'FALLBACK',
  useGlobalAlertSettings: null,
  alertChannelSubscriptions: [],
  environmentVariables: null,
  apiCheckDefaults: { headers: [], queryParameters: [], assertions: [], basicAuth: null },
}

import type { EnclosingGroup } from '@vedette/contracts'

/** Enforces nothing: for callers that need only locations, tags and activation. */
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

// The door of this package, and the list of every route. The schemas behind it take 30 MB: the few lists that an agent
// needs at run time have doors of their own (package.json).
import * as accounts from './accounts.ts'
import * as agentApi from './agent-api.ts'
import * as agentArtifacts from './agent-artifacts.ts'
import * as agenticScripts from './agentic-scripts.ts'
import * as alertBacktest from './alert-backtest.ts'
import * as alertChannels from './alert-channels.ts'
import * as alertNotifications from './alert-notifications.ts'
import * as analytics from './analytics.ts'
import * as apiKeys from './api-keys.ts'
import * as badges from './badges.ts'
import * as checkAlerts from './check-alerts.ts'
import * as checkGroups from './check-groups.ts'
import * as checkResults from './check-results.ts'
import * as checks from './check-routes.ts'
import * as checkSessions from './check-sessions.ts'
import * as checkStatuses from './check-statuses.ts'
import * as cliProtocol from './cli-protocol.ts'
import * as clientCertificates from './client-certificates.ts'
import * as codeBundles from './code-bundles.ts'
import * as coverage from './coverage.ts'
import * as dashboardIncidents from './dashboard-incidents.ts'
import * as dashboards from './dashboards.ts'
import * as deployments from './deployments.ts'
import * as entitlements from './entitlements.ts'
import * as errorGroups from './error-groups.ts'
import * as heartbeats from './heartbeats.ts'
import * as locationAlarms from './location-alarms.ts'
import * as maintenanceWindows from './maintenance-windows.ts'
import * as members from './members.ts'
import * as metrics from './metrics.ts'
import * as platform from './platform.ts'
import * as privateLocations from './private-locations.ts'
import * as publicLocations from './public-locations.ts'
import * as reporting from './reporting.ts'
import * as resultAssets from './result-assets.ts'
import * as rootCauseAnalyses from './root-cause-analyses.ts'
import type { AnyRoute } from './route.ts'
import * as runtimes from './runtimes.ts'
import * as snippets from './snippets.ts'
import * as staticIps from './static-ips.ts'
import * as statusPageIncidents from './status-page-incidents.ts'
import * as statusPageServices from './status-page-services.ts'
import * as statusPageSubscriptions from './status-page-subscriptions.ts'
import * as statusPages from './status-pages.ts'
import * as testSessionErrorGroups from './test-session-error-groups.ts'
import * as testSessionResults from './test-session-results.ts'
import * as testSessions from './test-sessions.ts'
import * as triggerUrls from './trigger-urls.ts'
import * as triggers from './triggers.ts'
import * as users from './users.ts'
import * as variables from './variables.ts'

export * from './account-settings.ts'
export * from './accounts.ts'
export * from './agent-api.ts'
export * from './agent-artifacts.ts'
export * from './agentic-scripts.ts'
export * from './alert-backtest.ts'
export * from './alert-channels.ts'
export * from './alert-notifications.ts'
export * from './alert-settings.ts'
export * from './analytics.ts'
export * from './analytics-metrics.ts'
export * from './api-keys.ts'
export * from './badges.ts'
export * from './channel-fields.ts'
export * from './channels/index.ts'
export * from './check-alerts.ts'
export * from './check-groups.ts'
export * from './check-result-detail.ts'
export * from './check-results.ts'
export * from './check-routes.ts'
export * from './check-sessions.ts'
export * from './check-state.ts'
export * from './check-statuses.ts'
export * from './checks/effective.ts'
export * from './checks/index.ts'
export * from './cli-protocol.ts'
export * from './client.ts'
export * from './client-certificates.ts'
export * from './code-bundles.ts'
export * from './code-checks.ts'
export * from './code-result-detail.ts'
export * from './coverage.ts'
export * from './dashboard-incidents.ts'
export * from './dashboards.ts'
export * from './deployments.ts'
export * from './entitlements.ts'
export * from './error-groups.ts'
export * from './errors.ts'
export * from './fields.ts'
export * from './heartbeats.ts'
export * from './location-alarms.ts'
export * from './locations.ts'
export * from './maintenance-occurrences.ts'
export * from './maintenance-windows.ts'
export * from './members.ts'
export * from './metrics.ts'
export * from './openapi.ts'
export * from './page-metrics.ts'
export * from './pagination.ts'
export * from './plans.ts'
export * from './platform.ts'
export * from './private-locations.ts'
export * from './public-locations.ts'
export * from './reporting.ts'
export * from './result-assets.ts'
export * from './retry-strategy.ts'
export * from './roles.ts'
export * from './root-cause-analyses.ts'
export * from './route.ts'
export * from './runs.ts'
export * from './runtime-ids.ts'
export * from './runtimes/manifests.generated.ts'
export * from './runtimes.ts'
export * from './session-target.ts'
export * from './snippets.ts'
export * from './static-ips.ts'
export * from './status-page-incidents.ts'
export * from './status-page-services.ts'
export * from './status-page-subscriptions.ts'
export * from './status-pages.ts'
export * from './test-session-error-groups.ts'
export * from './test-session-results.ts'
export * from './test-sessions.ts'
export * from './time-window.ts'
export * from './trigger-urls.ts'
export * from './triggers.ts'
export * from './update.ts'
export * from './users.ts'
export * from './variables.ts'
export * from './wall-clock.ts'

/** Every route of the API, in the order of the reference. */
export const routes: AnyRoute[] = [
  checks,
  codeBundles,
  agenticScripts,
  checkGroups,
  checkResults,
  resultAssets,
  checkStatuses,
  checkAlerts,
  alertBacktest,
  alertNotifications,
  errorGroups,
  rootCauseAnalyses,
  heartbeats,
  coverage,
  deployments,
  accounts,
  entitlements,
  members,
  users,
  apiKeys,
  privateLocations,
  publicLocations,
  locationAlarms,
  runtimes,
  staticIps,
  cliProtocol,
  snippets,
  dashboards,
  dashboardIncidents,
  statusPages,
  statusPageServices,
  statusPageIncidents,
  statusPageSubscriptions,
  triggers,
  triggerUrls,
  checkSessions,
  testSessions,
  testSessionResults,
  testSessionErrorGroups,
  alertChannels,
  variables,
  clientCertificates,
  maintenanceWindows,
  analytics,
  reporting,
  badges,
  metrics,
  platform,
].flatMap((resource) => routesOf(resource))

/** Spoken between agents and servers: in no public document. */
export const agentRoutes: AnyRoute[] = [...routesOf(agentApi), ...routesOf(agentArtifacts)]

function routesOf(resource: object): AnyRoute[] {
  return Object.values(resource).filter(
    (value): value is AnyRoute =>
      typeof value === 'object' &&
      value !== null &&
      'method' in value &&
      'path' in value &&
      'access' in value,
  )
}

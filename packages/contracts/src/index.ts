// The entry point of this package, and the list of all routes. Its schemas take 30 MB of memory: agents use smaller entry
// points (package.json).
import * as accounts from './accounts/accounts.ts'
import * as apiKeys from './accounts/api-keys.ts'
import * as auditLog from './accounts/audit-log.ts'
import * as cliProtocol from './accounts/cli-protocol.ts'
import * as entitlements from './accounts/entitlements.ts'
import * as factors from './accounts/factors.ts'
import * as invitations from './accounts/invitations.ts'
import * as members from './accounts/members.ts'
import * as metrics from './accounts/metrics.ts'
import * as passkeys from './accounts/passkeys.ts'
import * as passwords from './accounts/passwords.ts'
import * as secondFactor from './accounts/second-factor.ts'
import * as signIns from './accounts/sign-in.ts'
import * as singleSignOn from './accounts/single-sign-on.ts'
import * as users from './accounts/users.ts'
import * as alertBacktest from './alerts/alert-backtest.ts'
import * as alertChannels from './alerts/alert-channels.ts'
import * as alertHistory from './alerts/alert-history.ts'
import * as alertNotifications from './alerts/alert-notifications.ts'
import * as checkAlerts from './alerts/check-alerts.ts'
import * as locationAlarms from './alerts/location-alarms.ts'
import * as agenticScripts from './checks/agentic-scripts.ts'
import * as bulkActions from './checks/bulk-actions.ts'
import * as checkGroups from './checks/check-groups.ts'
import * as checks from './checks/check-routes.ts'
import * as clientCertificates from './checks/client-certificates.ts'
import * as codeBundles from './checks/code-bundles.ts'
import * as deployments from './checks/deployments.ts'
import * as heartbeats from './checks/heartbeats.ts'
import * as maintenanceWindows from './checks/maintenance-windows.ts'
import * as savedViews from './checks/saved-views.ts'
import * as snippets from './checks/snippets.ts'
import * as triggerUrls from './checks/trigger-urls.ts'
import * as triggers from './checks/triggers.ts'
import * as variables from './checks/variables.ts'
import * as platform from './core/platform.ts'
import type { AnyRoute } from './core/route.ts'
import * as badges from './pages/badges.ts'
import * as customDomains from './pages/custom-domains.ts'
import * as dashboardIncidents from './pages/dashboard-incidents.ts'
import * as dashboards from './pages/dashboards.ts'
import * as incidentTemplates from './pages/incident-templates.ts'
import * as pagePreviews from './pages/page-previews.ts'
import * as statusPageAutomationRules from './pages/status-page-automation-rules.ts'
import * as statusPageComponents from './pages/status-page-components.ts'
import * as statusPageIncidents from './pages/status-page-incidents.ts'
import * as statusPageServices from './pages/status-page-services.ts'
import * as statusPageSubscriptions from './pages/status-page-subscriptions.ts'
import * as statusPageWebhooks from './pages/status-page-webhooks.ts'
import * as statusPages from './pages/status-pages.ts'
import * as projectDeployments from './projects/deployments.ts'
import * as projectImports from './projects/imports.ts'
import * as projects from './projects/projects.ts'
import * as analytics from './results/analytics.ts'
import * as checkResults from './results/check-results.ts'
import * as checkStatuses from './results/check-statuses.ts'
import * as checkTests from './results/check-tests.ts'
import * as checkTimeline from './results/check-timeline.ts'
import * as errorGroups from './results/error-groups.ts'
import * as events from './results/events.ts'
import * as overview from './results/overview.ts'
import * as reporting from './results/reporting.ts'
import * as reports from './results/reports.ts'
import * as resultAssets from './results/result-assets.ts'
import * as resultComparison from './results/result-comparison.ts'
import * as rootCauseAnalyses from './results/root-cause-analyses.ts'
import * as search from './results/search.ts'
import * as usage from './results/usage.ts'
import * as agentApi from './runs/agent-api.ts'
import * as agentArtifacts from './runs/agent-artifacts.ts'
import * as checkSessions from './runs/check-sessions.ts'
import * as cliTestSessions from './runs/cli-test-sessions.ts'
import * as coverage from './runs/coverage.ts'
import * as locationStatuses from './runs/location-statuses.ts'
import * as privateLocations from './runs/private-locations.ts'
import * as publicLocations from './runs/public-locations.ts'
import * as runtimes from './runs/runtimes.ts'
import * as sessions from './runs/sessions.ts'
import * as staticIps from './runs/static-ips.ts'
import * as testDrafts from './runs/test-drafts.ts'
import * as testProgress from './runs/test-progress.ts'
import * as testSessionErrorGroups from './runs/test-session-error-groups.ts'
import * as testSessionResults from './runs/test-session-results.ts'
import * as testSessions from './runs/test-sessions.ts'

export * from './accounts/account-settings.ts'
export * from './accounts/accounts.ts'
export * from './accounts/api-keys.ts'
export * from './accounts/audit-log.ts'
export * from './accounts/cli-protocol.ts'
export * from './accounts/entitlements.ts'
export * from './accounts/factors.ts'
export * from './accounts/invitations.ts'
export * from './accounts/members.ts'
export * from './accounts/metrics.ts'
export * from './accounts/passkeys.ts'
export * from './accounts/passwords.ts'
export * from './accounts/plans.ts'
export * from './accounts/second-factor.ts'
export * from './accounts/sign-in.ts'
export * from './accounts/single-sign-on.ts'
export * from './accounts/users.ts'
export * from './alerts/alert-backtest.ts'
export * from './alerts/alert-channels.ts'
export * from './alerts/alert-history.ts'
export * from './alerts/alert-notifications.ts'
export * from './alerts/alert-settings.ts'
export * from './alerts/channel-fields.ts'
export * from './alerts/channels/index.ts'
export * from './alerts/check-alerts.ts'
export * from './alerts/location-alarms.ts'
export * from './checks/agentic-scripts.ts'
export * from './checks/bulk-actions.ts'
export * from './checks/check-groups.ts'
export * from './checks/check-routes.ts'
export * from './checks/check-variables.ts'
export * from './checks/client-certificates.ts'
export * from './checks/code-bundles.ts'
export * from './checks/definition.ts'
export * from './checks/deployments.ts'
export * from './checks/effective.ts'
export * from './checks/form-facts.ts'
export * from './checks/heartbeats.ts'
export * from './checks/index.ts'
export * from './checks/maintenance-occurrences.ts'
export * from './checks/maintenance-visibility.ts'
export * from './checks/maintenance-windows.ts'
export * from './checks/retry-strategy.ts'
export * from './checks/saved-views.ts'
export * from './checks/snippets.ts'
export * from './checks/trigger-urls.ts'
export * from './checks/triggers.ts'
export * from './checks/uses.ts'
export * from './checks/variables.ts'
export * from './core/absent-values.ts'
export * from './core/client.ts'
export * from './core/client-sources.ts'
export * from './core/durations.ts'
export * from './core/errors.ts'
export * from './core/fields.ts'
export type * from './core/finding.ts'
export * from './core/issue-words.ts'
export * from './core/objects.ts'
export * from './core/openapi.ts'
export * from './core/operations.ts'
export * from './core/pagination.ts'
export * from './core/platform.ts'
export * from './core/roles.ts'
export * from './core/route.ts'
export * from './core/sign-in-cookie.ts'
export * from './core/time-window.ts'
export * from './core/update.ts'
export * from './core/wall-clock.ts'
export * from './pages/badges.ts'
export * from './pages/custom-domains.ts'
export * from './pages/dashboard-incidents.ts'
export * from './pages/dashboards.ts'
export * from './pages/incident-templates.ts'
export * from './pages/page-address.ts'
export * from './pages/page-previews.ts'
export * from './pages/status-page-automation-rules.ts'
export * from './pages/status-page-components.ts'
export * from './pages/status-page-incidents.ts'
export * from './pages/status-page-services.ts'
export * from './pages/status-page-subscriptions.ts'
export * from './pages/status-page-webhooks.ts'
export * from './pages/status-pages.ts'
export * from './projects/deployments.ts'
export * from './projects/imports.ts'
export * from './projects/project-binding.ts'
export * from './projects/projects.ts'
export * from './projects/resources.ts'
export * from './results/analytics.ts'
export * from './results/analytics-metrics.ts'
export * from './results/check-result-detail.ts'
export * from './results/check-results.ts'
export * from './results/check-state.ts'
export * from './results/check-statuses.ts'
export * from './results/check-tests.ts'
export * from './results/check-timeline.ts'
export * from './results/code-result-detail.ts'
export * from './results/error-groups.ts'
export * from './results/events.ts'
export * from './results/overview.ts'
export * from './results/page-metrics.ts'
export * from './results/reporting.ts'
export * from './results/reports.ts'
export * from './results/result-assets.ts'
export * from './results/result-comparison.ts'
export * from './results/root-cause-analyses.ts'
export * from './results/script-errors.ts'
export * from './results/search.ts'
export * from './results/usage.ts'
export * from './runs/agent-api.ts'
export * from './runs/agent-artifacts.ts'
export * from './runs/check-sessions.ts'
export * from './runs/cli-test-sessions.ts'
export * from './runs/coverage.ts'
export * from './runs/location-statuses.ts'
export * from './runs/locations.ts'
export * from './runs/private-locations.ts'
export * from './runs/public-locations.ts'
export * from './runs/runs.ts'
export * from './runs/runtime-ids.ts'
export * from './runs/runtimes/manifests.generated.ts'
export * from './runs/runtimes/specifiers.ts'
export * from './runs/runtimes.ts'
export * from './runs/session-target.ts'
export * from './runs/sessions.ts'
export * from './runs/static-ips.ts'
export * from './runs/test-drafts.ts'
export * from './runs/test-progress.ts'
export * from './runs/test-session-error-groups.ts'
export * from './runs/test-session-results.ts'
export * from './runs/test-sessions.ts'

/** Every route of the API, in the order of the reference. */
export const routes: AnyRoute[] = [
  { ...checks, ...checks.routesOfTypes },
  codeBundles,
  agenticScripts,
  checkGroups,
  checkResults,
  resultComparison,
  resultAssets,
  checkStatuses,
  checkTests,
  checkTimeline,
  overview,
  events,
  search,
  checkAlerts,
  alertBacktest,
  alertHistory,
  alertNotifications,
  errorGroups,
  rootCauseAnalyses,
  heartbeats,
  coverage,
  deployments,
  accounts,
  entitlements,
  members,
  invitations,
  users,
  signIns,
  secondFactor,
  passkeys,
  singleSignOn,
  factors,
  passwords,
  auditLog,
  apiKeys,
  privateLocations,
  publicLocations,
  locationStatuses,
  locationAlarms,
  runtimes,
  staticIps,
  cliProtocol,
  projects,
  projectDeployments,
  projectImports,
  bulkActions,
  savedViews,
  snippets,
  customDomains,
  dashboards,
  dashboardIncidents,
  statusPages,
  statusPageComponents,
  statusPageAutomationRules,
  statusPageServices,
  statusPageIncidents,
  incidentTemplates,
  pagePreviews,
  statusPageSubscriptions,
  statusPageWebhooks,
  triggers,
  triggerUrls,
  sessions,
  checkSessions,
  testSessions,
  testSessionResults,
  cliTestSessions,
  testDrafts,
  testProgress,
  testSessionErrorGroups,
  alertChannels,
  variables,
  clientCertificates,
  maintenanceWindows,
  { ...analytics, ...analytics.reportsOfTypes },
  reporting,
  reports,
  usage,
  badges,
  metrics,
  platform,
].flatMap((resource) => routesOf(resource))

/** Routes between agents and servers. They aren't in the public document. */
export const agentRoutes: AnyRoute[] = [...routesOf(agentApi), ...routesOf(agentArtifacts)]

function routesOf(resource: object): AnyRoute[] {
  return Object.entries(resource)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value)
    .filter(
      (value): value is AnyRoute =>
        typeof value === 'object' &&
        value !== null &&
        'method' in value &&
        'path' in value &&
        'access' in value,
    )
}

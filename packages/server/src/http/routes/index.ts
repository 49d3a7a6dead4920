// The list of every mounted route.
import type { Deps } from '../deps.ts'
import type { Mounted } from '../mount.ts'
import { accountRoutes } from './accounts.ts'
import { agentArtifactRoutes } from './agent-artifacts.ts'
import { agenticScriptRoutes } from './agentic-scripts.ts'
import { agentRoutes } from './agents.ts'
import { alertBacktestRoutes } from './alert-backtest.ts'
import { alertChannelTestRoutes } from './alert-channel-tests.ts'
import { alertChannelRoutes } from './alert-channels.ts'
import { alertNotificationRoutes } from './alert-notifications.ts'
import { analyticsRoutes } from './analytics.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { badgeRoutes } from './badges.ts'
import { checkAlertRoutes } from './check-alerts.ts'
import { checkGroupRoutes } from './check-groups.ts'
import { checkResultRoutes } from './check-results.ts'
import { checkSessionRoutes } from './check-sessions.ts'
import { checkStatusRoutes } from './check-statuses.ts'
import { checkRoutes } from './checks.ts'
import { cliProtocolRoutes } from './cli-protocol.ts'
import { clientCertificateRoutes } from './client-certificates.ts'
import { codeBundleRoutes } from './code-bundles.ts'
import { coverageRoutes } from './coverage.ts'
import { dashboardIncidentRoutes } from './dashboard-incidents.ts'
import { dashboardRoutes } from './dashboards.ts'
import { deploymentRoutes } from './deployments.ts'
import { errorGroupRoutes } from './error-groups.ts'
import { heartbeatRoutes } from './heartbeats.ts'
import { locationAlarmRoutes } from './location-alarms.ts'
import { locationRoutes } from './locations.ts'
import { maintenanceWindowRoutes } from './maintenance-windows.ts'
import { memberRoutes } from './members.ts'
import { metricsRoutes } from './metrics.ts'
import { platformRoutes } from './platform.ts'
import { privateLocationRoutes } from './private-locations.ts'
import { reportingRoutes } from './reporting.ts'
import { resultAssetRoutes } from './result-assets.ts'
import { rootCauseAnalysisRoutes } from './root-cause-analyses.ts'
import { runtimeRoutes } from './runtimes.ts'
import { snippetRoutes } from './snippets.ts'
import { staticIpRoutes } from './static-ips.ts'
import { statusPageIncidentUpdateRoutes } from './status-page-incident-updates.ts'
import { statusPageIncidentRoutes } from './status-page-incidents.ts'
import { statusPageServiceRoutes } from './status-page-services.ts'
import { statusPageSubscriptionRoutes } from './status-page-subscriptions.ts'
import { statusPageRoutes } from './status-pages.ts'
import { testSessionErrorGroupRoutes } from './test-session-error-groups.ts'
import { testSessionResultRoutes } from './test-session-results.ts'
import { testSessionRoutes } from './test-sessions.ts'
import { triggerUrlRoutes } from './trigger-urls.ts'
import { triggerRoutes } from './triggers.ts'
import { userRoutes } from './users.ts'
import { variableRoutes } from './variables.ts'

export function allRoutes(deps: Deps): Mounted[] {
  return [
    agentRoutes,
    agentArtifactRoutes,
    accountRoutes,
    memberRoutes,
    userRoutes,
    apiKeyRoutes,
    privateLocationRoutes,
    locationRoutes,
    locationAlarmRoutes,
    runtimeRoutes,
    staticIpRoutes,
    cliProtocolRoutes,
    snippetRoutes,
    statusPageRoutes,
    statusPageSubscriptionRoutes,
    statusPageServiceRoutes,
    statusPageIncidentRoutes,
    statusPageIncidentUpdateRoutes,
    dashboardRoutes,
    dashboardIncidentRoutes,
    checkRoutes,
    codeBundleRoutes,
    agenticScriptRoutes,
    heartbeatRoutes,
    coverageRoutes,
    deploymentRoutes,
    checkGroupRoutes,
    checkResultRoutes,
    resultAssetRoutes,
    checkStatusRoutes,
    checkAlertRoutes,
    alertBacktestRoutes,
    alertNotificationRoutes,
    errorGroupRoutes,
    rootCauseAnalysisRoutes,
    triggerRoutes,
    triggerUrlRoutes,
    checkSessionRoutes,
    testSessionRoutes,
    testSessionResultRoutes,
    testSessionErrorGroupRoutes,
    alertChannelRoutes,
    alertChannelTestRoutes,
    variableRoutes,
    clientCertificateRoutes,
    maintenanceWindowRoutes,
    metricsRoutes,
    analyticsRoutes,
    reportingRoutes,
    badgeRoutes,
    platformRoutes,
  ].flatMap((resource) => resource(deps))
}

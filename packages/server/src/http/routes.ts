// The list of every mounted route.
import { accountRoutes } from './accounts/accounts.ts'
import { apiKeyRoutes } from './accounts/api-keys.ts'
import { auditLogRoutes } from './accounts/audit-log.ts'
import { cliProtocolRoutes } from './accounts/cli-protocol.ts'
import { factorRoutes } from './accounts/factors.ts'
import { invitationRoutes } from './accounts/invitations.ts'
import { memberRoutes } from './accounts/members.ts'
import { metricsRoutes } from './accounts/metrics.ts'
import { passwordRoutes } from './accounts/passwords.ts'
import { signInRoutes } from './accounts/sign-in.ts'
import { singleSignOnRoutes } from './accounts/single-sign-on.ts'
import { userRoutes } from './accounts/users.ts'
import { alertBacktestRoutes } from './alerts/alert-backtest.ts'
import { alertChannelTestRoutes } from './alerts/alert-channel-tests.ts'
import { alertChannelRoutes } from './alerts/alert-channels.ts'
import { alertHistoryRoutes } from './alerts/alert-history.ts'
import { alertNotificationRoutes } from './alerts/alert-notifications.ts'
import { checkAlertRoutes } from './alerts/check-alerts.ts'
import { locationAlarmRoutes } from './alerts/location-alarms.ts'
import { agenticScriptRoutes } from './checks/agentic-scripts.ts'
import { bulkActionRoutes } from './checks/bulk-actions.ts'
import { checkGroupRoutes } from './checks/check-groups.ts'
import { checkRoutes } from './checks/checks.ts'
import { clientCertificateRoutes } from './checks/client-certificates.ts'
import { codeBundleRoutes } from './checks/code-bundles.ts'
import { deploymentRoutes } from './checks/deployments.ts'
import { heartbeatRoutes } from './checks/heartbeats.ts'
import { maintenanceWindowRoutes } from './checks/maintenance-windows.ts'
import { savedViewRoutes } from './checks/saved-views.ts'
import { snippetRoutes } from './checks/snippets.ts'
import { triggerUrlRoutes } from './checks/trigger-urls.ts'
import { triggerRoutes } from './checks/triggers.ts'
import { variableRoutes } from './checks/variables.ts'
import { badgeRoutes } from './pages/badges.ts'
import { customDomainRoutes } from './pages/custom-domains.ts'
import { dashboardIncidentRoutes } from './pages/dashboard-incidents.ts'
import { dashboardRoutes } from './pages/dashboards.ts'
import { incidentTemplateRoutes } from './pages/incident-templates.ts'
import { pagePreviewRoutes } from './pages/page-previews.ts'
import { statusPageAutomationRuleRoutes } from './pages/status-page-automation-rules.ts'
import { statusPageComponentRoutes } from './pages/status-page-components.ts'
import { statusPageIncidentUpdateRoutes } from './pages/status-page-incident-updates.ts'
import { statusPageIncidentRoutes } from './pages/status-page-incidents.ts'
import { statusPageServiceRoutes } from './pages/status-page-services.ts'
import { statusPageSubscriptionRoutes } from './pages/status-page-subscriptions.ts'
import { statusPageWebhookRoutes } from './pages/status-page-webhooks.ts'
import { statusPageRoutes } from './pages/status-pages.ts'
import { projectDeploymentRoutes } from './projects/deployments.ts'
import { projectImportRoutes } from './projects/imports.ts'
import { projectRoutes } from './projects/projects.ts'
import { analyticsRoutes } from './results/analytics.ts'
import { checkResultRoutes } from './results/check-results.ts'
import { checkStatusRoutes } from './results/check-statuses.ts'
import { checkTestRoutes } from './results/check-tests.ts'
import { checkTimelineRoutes } from './results/check-timeline.ts'
import { errorGroupRoutes } from './results/error-groups.ts'
import { eventRoutes } from './results/events.ts'
import { overviewRoutes } from './results/overview.ts'
import { reportingRoutes } from './results/reporting.ts'
import { reportRoutes } from './results/reports.ts'
import { resultAssetRoutes } from './results/result-assets.ts'
import { resultComparisonRoutes } from './results/result-comparison.ts'
import { rootCauseAnalysisRoutes } from './results/root-cause-analyses.ts'
import { searchRoutes } from './results/search.ts'
import { usageRoutes } from './results/usage.ts'
import { agentArtifactRoutes } from './runs/agent-artifacts.ts'
import { agentRoutes } from './runs/agents.ts'
import { checkSessionRoutes } from './runs/check-sessions.ts'
import { cliTestSessionRoutes } from './runs/cli-test-sessions.ts'
import { coverageRoutes } from './runs/coverage.ts'
import { locationStatusRoutes } from './runs/location-statuses.ts'
import { locationRoutes } from './runs/locations.ts'
import { privateLocationRoutes } from './runs/private-locations.ts'
import { runtimeRoutes } from './runs/runtimes.ts'
import { sessionRoutes } from './runs/sessions.ts'
import { staticIpRoutes } from './runs/static-ips.ts'
import { testDraftRoutes } from './runs/test-drafts.ts'
import { testProgressRoutes } from './runs/test-progress.ts'
import { testSessionErrorGroupRoutes } from './runs/test-session-error-groups.ts'
import { testSessionResultRoutes } from './runs/test-session-results.ts'
import { testSessionRoutes } from './runs/test-sessions.ts'
import type { Deps } from './transport/deps.ts'
import type { Mounted } from './transport/mount.ts'
import { platformRoutes } from './transport/platform.ts'

export function allRoutes(deps: Deps): Mounted[] {
  return [
    agentRoutes,
    agentArtifactRoutes,
    accountRoutes,
    memberRoutes,
    invitationRoutes,
    userRoutes,
    signInRoutes,
    passwordRoutes,
    factorRoutes,
    singleSignOnRoutes,
    auditLogRoutes,
    apiKeyRoutes,
    privateLocationRoutes,
    locationRoutes,
    locationStatusRoutes,
    locationAlarmRoutes,
    runtimeRoutes,
    staticIpRoutes,
    cliProtocolRoutes,
    projectRoutes,
    projectDeploymentRoutes,
    projectImportRoutes,
    bulkActionRoutes,
    savedViewRoutes,
    snippetRoutes,
    statusPageRoutes,
    statusPageComponentRoutes,
    statusPageAutomationRuleRoutes,
    statusPageSubscriptionRoutes,
    statusPageWebhookRoutes,
    statusPageServiceRoutes,
    statusPageIncidentRoutes,
    statusPageIncidentUpdateRoutes,
    customDomainRoutes,
    incidentTemplateRoutes,
    dashboardRoutes,
    dashboardIncidentRoutes,
    pagePreviewRoutes,
    checkRoutes,
    codeBundleRoutes,
    agenticScriptRoutes,
    heartbeatRoutes,
    coverageRoutes,
    deploymentRoutes,
    checkGroupRoutes,
    checkResultRoutes,
    resultComparisonRoutes,
    resultAssetRoutes,
    checkStatusRoutes,
    checkTestRoutes,
    checkTimelineRoutes,
    overviewRoutes,
    eventRoutes,
    searchRoutes,
    checkAlertRoutes,
    alertBacktestRoutes,
    alertHistoryRoutes,
    alertNotificationRoutes,
    errorGroupRoutes,
    rootCauseAnalysisRoutes,
    triggerRoutes,
    triggerUrlRoutes,
    sessionRoutes,
    checkSessionRoutes,
    cliTestSessionRoutes,
    testSessionRoutes,
    testSessionResultRoutes,
    testDraftRoutes,
    testProgressRoutes,
    testSessionErrorGroupRoutes,
    alertChannelRoutes,
    alertChannelTestRoutes,
    variableRoutes,
    clientCertificateRoutes,
    maintenanceWindowRoutes,
    metricsRoutes,
    analyticsRoutes,
    reportingRoutes,
    reportRoutes,
    usageRoutes,
    badgeRoutes,
    platformRoutes,
  ].flatMap((resource) => resource(deps))
}

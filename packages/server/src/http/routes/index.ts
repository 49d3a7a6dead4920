// The list of every mounted route.
import type { Deps } from '../deps.ts'
import type { Mounted } from '../mount.ts'
import { accountRoutes } from './accounts.ts'
import { alertChannelRoutes } from './alert-channels.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { checkGroupRoutes } from './check-groups.ts'
import { checkRoutes } from './checks.ts'
import { cliProtocolRoutes } from './cli-protocol.ts'
import { clientCertificateRoutes } from './client-certificates.ts'
import { dashboardIncidentRoutes } from './dashboard-incidents.ts'
import { dashboardRoutes } from './dashboards.ts'
import { locationRoutes } from './locations.ts'
import { maintenanceWindowRoutes } from './maintenance-windows.ts'
import { memberRoutes } from './members.ts'
import { platformRoutes } from './platform.ts'
import { privateLocationRoutes } from './private-locations.ts'
import { runtimeRoutes } from './runtimes.ts'
import { snippetRoutes } from './snippets.ts'
import { staticIpRoutes } from './static-ips.ts'
import { statusPageIncidentUpdateRoutes } from './status-page-incident-updates.ts'
import { statusPageIncidentRoutes } from './status-page-incidents.ts'
import { statusPageServiceRoutes } from './status-page-services.ts'
import { statusPageSubscriptionRoutes } from './status-page-subscriptions.ts'
import { statusPageRoutes } from './status-pages.ts'
import { triggerRoutes } from './triggers.ts'
import { userRoutes } from './users.ts'
import { variableRoutes } from './variables.ts'

export function allRoutes(deps: Deps): Mounted[] {
  return [
    accountRoutes,
    memberRoutes,
    userRoutes,
    apiKeyRoutes,
    privateLocationRoutes,
    locationRoutes,
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
    checkGroupRoutes,
    triggerRoutes,
    alertChannelRoutes,
    variableRoutes,
    clientCertificateRoutes,
    maintenanceWindowRoutes,
    platformRoutes,
  ].flatMap((resource) => resource(deps))
}

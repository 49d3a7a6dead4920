// The one door of this package, and the list of every route.
import * as accounts from './accounts.ts'
import * as alertChannels from './alert-channels.ts'
import * as apiKeys from './api-keys.ts'
import * as checkGroups from './check-groups.ts'
import * as checks from './check-routes.ts'
import * as cliProtocol from './cli-protocol.ts'
import * as clientCertificates from './client-certificates.ts'
import * as dashboardIncidents from './dashboard-incidents.ts'
import * as dashboards from './dashboards.ts'
import * as entitlements from './entitlements.ts'
import * as maintenanceWindows from './maintenance-windows.ts'
import * as members from './members.ts'
import * as platform from './platform.ts'
import * as privateLocations from './private-locations.ts'
import * as publicLocations from './public-locations.ts'
import type { AnyRoute } from './route.ts'
import * as runtimes from './runtimes.ts'
import * as snippets from './snippets.ts'
import * as staticIps from './static-ips.ts'
import * as statusPageIncidents from './status-page-incidents.ts'
import * as statusPageServices from './status-page-services.ts'
import * as statusPageSubscriptions from './status-page-subscriptions.ts'
import * as statusPages from './status-pages.ts'
import * as triggers from './triggers.ts'
import * as users from './users.ts'
import * as variables from './variables.ts'

export * from './account-settings.ts'
export * from './accounts.ts'
export * from './alert-channels.ts'
export * from './alert-settings.ts'
export * from './api-keys.ts'
export * from './channel-fields.ts'
export * from './channels/index.ts'
export * from './check-groups.ts'
export * from './check-routes.ts'
export * from './checks/effective.ts'
export * from './checks/index.ts'
export * from './cli-protocol.ts'
export * from './client.ts'
export * from './client-certificates.ts'
export * from './dashboard-incidents.ts'
export * from './dashboards.ts'
export * from './entitlements.ts'
export * from './errors.ts'
export * from './fields.ts'
export * from './locations.ts'
export * from './maintenance-occurrences.ts'
export * from './maintenance-windows.ts'
export * from './members.ts'
export * from './openapi.ts'
export * from './pagination.ts'
export * from './plans.ts'
export * from './platform.ts'
export * from './private-locations.ts'
export * from './public-locations.ts'
export * from './retry-strategy.ts'
export * from './roles.ts'
export * from './route.ts'
export * from './runs.ts'
export * from './runtime-ids.ts'
export * from './runtimes/index.ts'
export * from './runtimes.ts'
export * from './snippets.ts'
export * from './static-ips.ts'
export * from './status-page-incidents.ts'
export * from './status-page-services.ts'
export * from './status-page-subscriptions.ts'
export * from './status-pages.ts'
export * from './triggers.ts'
export * from './update.ts'
export * from './users.ts'
export * from './variables.ts'

/** Every route of the API, in the order of the reference. */
export const routes: AnyRoute[] = [
  checks,
  checkGroups,
  accounts,
  entitlements,
  members,
  users,
  apiKeys,
  privateLocations,
  publicLocations,
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
  alertChannels,
  variables,
  clientCertificates,
  maintenanceWindows,
  platform,
].flatMap((resource) => routesOf(resource))

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

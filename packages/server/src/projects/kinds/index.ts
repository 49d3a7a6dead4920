import type { ResourceType } from '@vedette/contracts'
import { alertChannelKind } from './alert-channels.ts'
import { checkAssignmentKind, groupAssignmentKind } from './assignments.ts'
import { checkGroupKind } from './check-groups.ts'
import { checkKind } from './checks.ts'
import type { ResourceKind } from './kind.ts'
import { maintenanceWindowKind } from './maintenance-windows.ts'
import { componentKind, dashboardKind, ruleKind, serviceKind, statusPageKind } from './pages.ts'
import { privateLocationKind } from './private-locations.ts'
import { subscriptionKind } from './subscriptions.ts'

/** In the order in which they are created: what others refer to comes first. */
export const kinds: Readonly<Record<ResourceType, ResourceKind<unknown>>> = {
  'private-location': privateLocationKind,
  'status-page-service': serviceKind,
  'status-page': statusPageKind,
  'status-page-component': componentKind,
  'status-page-automation-rule': ruleKind,
  'alert-channel': alertChannelKind,
  'check-group': checkGroupKind,
  check: checkKind,
  'alert-channel-subscription': subscriptionKind,
  'private-location-check-assignment': checkAssignmentKind,
  'private-location-group-assignment': groupAssignmentKind,
  'maintenance-window': maintenanceWindowKind,
  dashboard: dashboardKind,
}

/** Removed before others are created, since their addresses may be used again, and nothing else refers to them. */
export const removedFirst: readonly ResourceType[] = [
  'alert-channel-subscription',
  'private-location-check-assignment',
  'private-location-group-assignment',
  'check',
  'status-page-automation-rule',
  'status-page',
  'maintenance-window',
  'dashboard',
]

/** Removed after others are changed, which may have referred to them. */
export const removedLast: readonly ResourceType[] = [
  'status-page-component',
  'check-group',
  'alert-channel',
  'status-page-service',
  'private-location',
]

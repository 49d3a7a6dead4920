// What a field becomes if a client that always sends whole objects leaves it out of an update (decision 13). Its library drops empty
// values, so an absent field is one that was removed. Other callers keep what they don't send (decision 3).
import { isRecord } from './objects.ts'
import type { AnyRoute } from './route.ts'

const subscriptions = { alertChannelSubscriptions: [] }

const scripts = {
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
}

/** Of all types: a type ignores the fields that it doesn't have. */
const check = {
  ...subscriptions,
  ...scripts,
  tags: [],
  groupId: null,
  groupOrder: null,
  frequencyOffset: null,
}

/** By path. Fields that the library always sends aren't listed, nor those that it doesn't know. */
export const absentValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/v1/checks/{id}': check,
  '/v1/checks/api/{id}': check,
  '/v1/checks/browser/{id}': check,
  '/v1/checks/multistep/{id}': check,
  '/v1/checks/heartbeat/{id}': check,
  '/v1/checks/playwright/{id}': check,
  '/v1/checks/tcp/{id}': check,
  '/v1/checks/url/{id}': check,
  '/v1/checks/dns/{id}': check,
  '/v1/checks/icmp/{id}': check,
  '/v1/checks/grpc/{id}': check,
  '/v1/checks/ssl/{id}': check,
  '/v1/checks/traceroute/{id}': check,
  '/v1/check-groups/{id}': { ...subscriptions, ...scripts },
  '/v2/check-groups/{id}': subscriptions,
  '/v1/dashboards/{dashboardId}': {
    customDomain: null,
    logo: null,
    favicon: null,
    link: null,
    description: null,
    width: 'FULL',
    checksPerPage: 15,
    tags: [],
    hideTags: false,
    useTagsAndOperator: false,
    isPrivate: false,
    showHeader: true,
    showP95: true,
    showP99: true,
  },
  '/v1/maintenance-windows/{id}': { tags: [], repeatInterval: null, repeatUnit: null, repeatEndsAt: null },
}

/** The body with a value for each field that was removed. The library writes lists of a request without entries as null. */
export function withAbsentValues(
  { method, path }: Pick<AnyRoute, 'method' | 'path'>,
  body: unknown,
): unknown {
  if (!isRecord(body)) return body
  const request = isRecord(body.request) ? { request: withoutNulls(body.request) } : {}
  return { ...(method === 'PUT' ? absentValues[path] : {}), ...body, ...request }
}

function withoutNulls(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== null))
}

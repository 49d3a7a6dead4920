// Stores what is in the form, by the routes of its type.
import type { CheckType } from '@vedette/contracts'
import { call } from '../../api/call.ts'
import type { CheckFields, TypeForm } from '../../forms/schemas/check.ts'
import type { Change } from '../../forms/values.ts'

const routes = {
  API: { create: 'POST /v1/checks/api', update: 'PUT /v1/checks/api/{id}' },
  BROWSER: { create: 'POST /v1/checks/browser', update: 'PUT /v1/checks/browser/{id}' },
  MULTI_STEP: { create: 'POST /v1/checks/multistep', update: 'PUT /v1/checks/multistep/{id}' },
  HEARTBEAT: { create: 'POST /v1/checks/heartbeat', update: 'PUT /v1/checks/heartbeat/{id}' },
  ICMP: { create: 'POST /v1/checks/icmp', update: 'PUT /v1/checks/icmp/{id}' },
  TCP: { create: 'POST /v1/checks/tcp', update: 'PUT /v1/checks/tcp/{id}' },
  PLAYWRIGHT: { create: 'POST /v1/checks/playwright', update: 'PUT /v1/checks/playwright/{id}' },
  URL: { create: 'POST /v1/checks/url', update: 'PUT /v1/checks/url/{id}' },
  DNS: { create: 'POST /v1/checks/dns', update: 'PUT /v1/checks/dns/{id}' },
  AGENTIC: { create: 'POST /v1/checks/agentic', update: 'PUT /v1/checks/agentic/{id}' },
  GRPC: { create: 'POST /v1/checks/grpc', update: 'PUT /v1/checks/grpc/{id}' },
  SSL: { create: 'POST /v1/checks/ssl', update: 'PUT /v1/checks/ssl/{id}' },
  TRACEROUTE: { create: 'POST /v1/checks/traceroute', update: 'PUT /v1/checks/traceroute/{id}' },
} as const satisfies Record<CheckType, { create: `POST ${string}`; update: `PUT ${string}` }>

export async function createCheck(type: TypeForm, values: CheckFields): Promise<{ id: string }> {
  return call(routes[type.type].create, { body: bodyOf(type.bodyOf(values)) })
}

/** Only what changed: each field as a whole. 412 if someone else has changed it since `version`. */
export async function updateCheck(
  type: TypeForm,
  { id, version }: { id: string; version: string },
  values: CheckFields,
  changes: readonly Change[],
): Promise<{ id: string }> {
  const names = new Set(changes.map(({ path }) => path.split('.')[0] ?? ''))
  const changed = Object.entries(type.bodyOf(values)).filter(([name]) => names.has(name))
  return call(routes[type.type].update, {
    params: { id },
    body: bodyOf(Object.fromEntries(changed)),
    ifMatch: version,
  })
}

/** The form is that of the type, and its schema has judged the values; the compiler can't relate both. */
function bodyOf(fields: CheckFields): never {
  return fields as never
}

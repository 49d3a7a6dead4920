// Failing checks open incidents on status pages, and their recovery resolves them. Runs in the transaction that decides the
// alert, so a service, incident or check that was deleted meanwhile must not fail it.
import { randomUUID } from 'node:crypto'
import type { Client } from '../../storage/core/transaction.ts'
import { insertIncidentNotices } from '../../storage/pages/incident-notices.ts'
import { listSuppressedServices } from '../../storage/pages/page-maintenance.ts'
import {
  type CheckRef,
  insertTriggeredIncidents,
  listChecksWithoutIncident,
  resolveIncidents,
  takeTriggeredIncidents,
} from '../../storage/pages/triggered-incidents.ts'
import { cut } from '../message/plain-text.ts'

/** A check's `triggerIncident`. */
interface IncidentTrigger {
  serviceId: string
  severity: string
  name: string
  description: string
  notifySubscribers: boolean
}

export type TriggeringCheck = CheckRef & { trigger: IncidentTrigger }

/** Skips checks whose incident is still open, whose service was deleted, or whose service has maintenance that suppresses incidents. */
export async function openTriggeredIncidents(
  client: Client,
  checks: readonly TriggeringCheck[],
  now: number,
): Promise<void> {
  const triggering = [...new Map(checks.map((check) => [check.checkId, check])).values()]
    .map(({ accountId, checkId, trigger }) => ({ ...trigger, accountId, checkId }))
    .filter(({ serviceId }) => isUuid(serviceId))
  if (triggering.length === 0) return
  const free = await listChecksWithoutIncident(client, triggering)
  if (free.size === 0) return
  const suppressed = await listSuppressedServices(client, triggering, now)
  const incidents = triggering
    .filter(({ checkId, serviceId }) => free.has(checkId) && !suppressed.has(serviceId.toLowerCase()))
    .map((check) => ({
      ...check,
      incidentId: randomUUID(),
      updateId: randomUUID(),
      name: cut(check.name, longestName),
      // The API refuses an empty description, so a client couldn't send back what it read.
      description: check.description.trim() === '' ? 'We are investigating.' : check.description,
    }))
  if (incidents.length === 0) return
  await insertTriggeredIncidents(client, incidents, now)
  await insertIncidentNotices(client, incidents.map(updateOf), now)
}

/** Adds no second RESOLVED if a user has resolved the incident. */
export async function resolveTriggeredIncidents(
  client: Client,
  checks: readonly CheckRef[],
  now: number,
): Promise<void> {
  if (checks.length === 0) return
  const incidents = await takeTriggeredIncidents(client, checks)
  if (incidents.length === 0) return
  const resolutions = incidents.map((incident) => ({
    ...incident,
    updateId: randomUUID(),
    description: 'The service has recovered.',
  }))
  await insertIncidentNotices(client, await resolveIncidents(client, resolutions, now), now)
}

/** The name of a trigger may be longer. */
const longestName = 255

function updateOf({ accountId, updateId }: { accountId: string; updateId: string }) {
  return { accountId, id: updateId }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

// Incidents that failing checks open on status pages, and that their recovery resolves. Called in the transaction that
// decides the alert: whatever has become of the service, the incident or the check, it never fails that.
import { randomUUID } from 'node:crypto'
import type { Client } from '../../storage/core/transaction.ts'
import { insertIncidentMails } from '../../storage/pages/subscriber-mails.ts'
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

/** Nothing for a check whose incident is still open, or whose service is gone. */
export async function openTriggeredIncidents(
  client: Client,
  checks: readonly TriggeringCheck[],
  now: number,
): Promise<void> {
  const asked = [...new Map(checks.map((check) => [check.checkId, check])).values()]
    .map(({ accountId, checkId, trigger }) => ({ ...trigger, accountId, checkId }))
    .filter(({ serviceId }) => isUuid(serviceId))
  if (asked.length === 0) return
  const free = await listChecksWithoutIncident(client, asked)
  const incidents = asked
    .filter(({ checkId }) => free.has(checkId))
    .map((check) => ({
      ...check,
      incidentId: randomUUID(),
      updateId: randomUUID(),
      name: cut(check.name, longestName),
      // An update without words can't be sent back by a client that read it.
      description: check.description.trim() === '' ? 'We are investigating.' : check.description,
    }))
  if (incidents.length === 0) return
  await insertTriggeredIncidents(client, incidents, now)
  await insertIncidentMails(client, incidents.map(updateOf), now)
}

/** No second RESOLVED where a human was faster. */
export async function resolveTriggeredIncidents(
  client: Client,
  checks: readonly CheckRef[],
  now: number,
): Promise<void> {
  if (checks.length === 0) return
  const taken = await takeTriggeredIncidents(client, checks)
  if (taken.length === 0) return
  const resolutions = taken.map((incident) => ({
    ...incident,
    updateId: randomUUID(),
    description: 'The service has recovered.',
  }))
  await insertIncidentMails(client, await resolveIncidents(client, resolutions, now), now)
}

/** Of an incident; a check's trigger may have a longer one. */
const longestName = 255

function updateOf({ accountId, updateId }: { accountId: string; updateId: string }) {
  return { accountId, id: updateId }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

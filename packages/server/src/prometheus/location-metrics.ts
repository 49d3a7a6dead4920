// Builds the Prometheus metrics of an account's private locations. Pure.
import type { Queue } from '../storage/runs/private-location-metrics.ts'
import type { Family, Labels } from './exposition.ts'

export interface MeasuredLocation {
  id: string
  name: string
  slugName: string
  agentCount: number
  queue: Pick<Queue, 'waiting' | 'inProgress' | 'oldestMs'>
}

export function locationFamilies(locations: MeasuredLocation[]): Family[] {
  const gauge = (name: string, help: string, value: (location: MeasuredLocation) => number): Family => ({
    name: `vedette_private_location_${name}`,
    help,
    type: 'gauge',
    samples: locations.map((location) => ({ labels: labelsOf(location), value: value(location) })),
  })
  return [
    gauge('queue_size', 'Runs that are due and not claimed.', ({ queue }) => queue.waiting),
    gauge(
      'oldest_scheduled_check_run_seconds',
      'How long the oldest of them has waited.',
      ({ queue }) => queue.oldestMs / 1000,
    ),
    gauge('agent_count', 'Agents that are connected.', ({ agentCount }) => agentCount),
    {
      name: 'vedette_private_location_check_runs',
      help: 'Runs that are queued or in progress, by state.',
      type: 'gauge',
      samples: locations.flatMap((location) => [
        { labels: { ...labelsOf(location), state: 'queued' }, value: location.queue.waiting },
        { labels: { ...labelsOf(location), state: 'inflight' }, value: location.queue.inProgress },
      ]),
    },
  ]
}

function labelsOf({ id, name, slugName }: MeasuredLocation): Labels {
  return {
    private_location_name: name,
    private_location_slug_name: slugName,
    private_location_id: id,
  }
}

import { ApiError, dayMs, locationNames, runTokenHeader } from '@vedette/contracts'
import type { FastifyRequest } from 'fastify'
import { type Lease, readLease } from '../../dispatch/lease-token.ts'
import type { AgentCaller } from '../transport/agent-caller.ts'
import type { Deps } from '../transport/deps.ts'

/** The lease in the token; null if it was issued for another location than the agent's. */
export function leaseFor({ vault }: Pick<Deps, 'vault'>, agent: AgentCaller, token: string): Lease | null {
  const lease = readLease(vault, token)
  if (lease === null) return null
  const [locationKey = ''] = lease.queue.split('/')
  const isOwn =
    agent.kind === 'private' ? locationKey === agent.privateLocationId : locationKey in locationNames
  return isOwn ? lease : null
}

/** The lease of a run whose result would still be recorded. */
export function requireLease(deps: Deps, agent: AgentCaller, token: string | undefined): Lease {
  const lease = token === undefined ? null : leaseFor(deps, agent, token)
  if (lease === null)
    throw new ApiError('forbidden', {
      message: `The token in ${runTokenHeader} isn't a lease of this agent.`,
    })
  if (lease.scheduledAt < deps.clock.now() - deps.config.RESULT_RETENTION_DAYS * dayMs)
    throw new ApiError('forbidden', { message: 'Results of that time are no longer kept.' })
  return lease
}

export function runTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const token = headers[runTokenHeader]
  return typeof token === 'string' && token.length <= 8_000 ? token : undefined
}

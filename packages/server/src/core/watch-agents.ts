// Logs which agents connect and disconnect, whichever server they call.
import type { EventLog } from './event-log.ts'

export interface SeenAgent {
  id: string
  name: string | null
  kind: 'private' | 'operator' | 'built-in'
  state: 'running' | 'draining'
  /** The slug of its private location, or how many regions it serves. */
  serves: string
}

/** Returns a function to call periodically. Its first call logs nothing: those agents were connected before. */
export function watchAgents(listSeen: () => Promise<SeenAgent[]>, events: EventLog): () => Promise<void> {
  let known: Map<string, SeenAgent> | null = null
  return async () => {
    const seen = await listSeen()
    const byId = new Map(seen.map((agent) => [agent.id, agent]))
    const running = new Map(seen.filter(({ state }) => state === 'running').map((agent) => [agent.id, agent]))
    const before = known ?? running
    known = running
    for (const agent of running.values()) {
      if (!before.has(agent.id))
        events.info('agent.connected', { agentId: agent.id }, `${nameOf(agent)} is connected.`)
    }
    for (const agent of before.values()) {
      if (running.has(agent.id)) continue
      const what = byId.has(agent.id) ? 'has stopped.' : 'is gone: it has not been seen for 30 s.'
      events.info('agent.gone', { agentId: agent.id }, `${nameOf(agent)} ${what}`)
    }
  }
}

function nameOf({ kind, name, id, serves }: SeenAgent): string {
  if (kind === 'built-in') return 'The built-in agent'
  const label = name ?? id
  return kind === 'private' ? `Agent ${label} of private location ${serves}` : `Agent ${label} of ${serves}`
}

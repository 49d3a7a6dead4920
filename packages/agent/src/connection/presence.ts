// Reports to the server that this agent is alive, renews the leases of its runs and results, and receives cancellations.
import type { ServerClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { type AgentIdentity, maxLeasesPerPresence } from './protocol.ts'
import type { ServerClient } from './server-client.ts'

interface PresenceOptions {
  identity: AgentIdentity
  locations: readonly string[]
  client: ServerClient
  clock: ServerClock
  log: Log
  state(): 'running' | 'draining'
  leases(): string[]
  facts(): Record<string, unknown>
  onCancelled(runIds: string[]): void
  everyMs: number
}

const timeoutMs = 5_000
/** After a failure. A lease lasts three regular intervals. */
const retryMs = 2_000

export function startPresence(options: PresenceOptions) {
  const { identity, locations, client, clock, log } = options
  const startedAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let reporting: Promise<void> = Promise.resolve()
  let hasWarned = false

  async function reportOnce(): Promise<void> {
    const body = JSON.stringify({
      ...identity,
      locations,
      state: options.state(),
      startedAt,
      leases: options.leases().slice(0, maxLeasesPerPresence),
      facts: options.facts(),
    })
    let waitMs = options.everyMs
    try {
      const response = await client.call('presence', body, { timeoutMs })
      options.onCancelled(response.cancelled)
      if (!hasWarned && isOlder(identity.version, response.minAgentVersion)) {
        hasWarned = true
        log.warn({ version: identity.version, minAgentVersion: response.minAgentVersion }, 'agent.outdated')
      }
    } catch {
      waitMs = Math.min(retryMs, options.everyMs)
    }
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => report(), waitMs)
  }

  /** Besides the regular interval; resolves after the attempt, whether it succeeds or not. */
  function report(): Promise<void> {
    reporting = reporting.then(reportOnce)
    return reporting
  }

  report()
  return {
    report,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

function isOlder(version: string, than: string): boolean {
  const parts = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10) || 0)
  const [ours, theirs] = [parts(version), parts(than)]
  for (let index = 0; index < 3; index++) {
    const difference = (ours[index] ?? 0) - (theirs[index] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

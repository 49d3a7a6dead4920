// Tells the server that this agent lives, renews the leases of everything in its hands, and learns what was called off.
import type { ServerClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { type AgentIdentity, maxLeasesPerPresence } from './protocol.ts'
import type { ServerClient } from './server-client.ts'

export interface PresenceOptions {
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

export interface Presence {
  /** Now, besides the regular times; resolves when the server has it or could not be told. */
  tell(): Promise<void>
  stop(): void
}

const timeoutMs = 5_000
/** A presence that was not heard is repeated sooner: a lease lasts three of them. */
const retryMs = 2_000

export function startPresence(options: PresenceOptions): Presence {
  const { identity, locations, client, clock, log } = options
  const startedAt = clock.now()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let telling: Promise<void> = Promise.resolve()
  let toldOutdated = false

  async function tellOnce(): Promise<void> {
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
      const answer = await client.call('presence', body, { timeoutMs })
      options.onCancelled(answer.cancelled)
      if (!toldOutdated && isOlder(identity.version, answer.minAgentVersion)) {
        toldOutdated = true
        log.warn({ version: identity.version, minAgentVersion: answer.minAgentVersion }, 'agent.outdated')
      }
    } catch {
      waitMs = Math.min(retryMs, options.everyMs)
    }
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => tell(), waitMs)
  }

  function tell(): Promise<void> {
    telling = telling.then(tellOnce)
    return telling
  }

  tell()
  return {
    tell,
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

// Errors of the agent's own: logged, and told to its own server and to nobody else (not at all with
// EXTERNAL_OBSERVABILITY=off). The same one again and again is said once a minute.
import type { AgentClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { AgentIdentity } from './protocol.ts'
import type { ServerClient } from './server-client.ts'

export interface ErrorReports {
  /** Never throws and never waits. `message` holds no secrets, which whoever calls has seen to. */
  send(message: string): void
  /** A bug that came out somewhere: what it says may hold anything, so only its kind and place leave this machine. */
  bug(event: string, error: unknown): void
}

const windowMs = 60_000
const perWindow = 10
const timeoutMs = 5_000

export function createReports(
  identity: AgentIdentity,
  /** Null: nothing is told. */
  client: Pick<ServerClient, 'call'> | null,
  clock: AgentClock,
  log: Log,
): ErrorReports {
  let told = new Set<string>()
  let windowEndsAt = Number.NEGATIVE_INFINITY

  function isNew(message: string): boolean {
    if (clock.monotonic() > windowEndsAt) {
      told = new Set()
      windowEndsAt = clock.monotonic() + windowMs
    }
    if (told.size >= perWindow || told.has(message)) return false
    told.add(message)
    return true
  }

  function tell(message: string, stack?: string): void {
    const body = JSON.stringify({
      ...identity,
      level: 'error',
      message: message.slice(0, 10_000),
      ...(stack !== undefined && { stack: stack.slice(0, 20_000) }),
      at: clock.now(),
    })
    client?.call('reports', body, { timeoutMs }).catch(() => undefined)
  }

  return {
    send(message) {
      if (!isNew(message)) return
      log.error({ message }, 'agent.error')
      tell(message)
    },
    bug(event, thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      const { code = '' } = error as NodeJS.ErrnoException
      const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
      const message = `${event}: ${error.name} ${code}`.trim()
      if (!isNew(`${message}\n${places[0] ?? ''}`)) return
      log.error({ err: error }, event)
      tell(message, places.join('\n'))
    },
  }
}

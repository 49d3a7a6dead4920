// Logs the agent's own errors and reports them to its server (unless EXTERNAL_OBSERVABILITY=off). The same error is reported
// once a minute.
import { errorCode, toError } from '@vedette/safeguards/errors'
import type { AgentClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { AgentIdentity } from './protocol.ts'
import type { ServerClient } from './server-client.ts'

export type ErrorReports = ReturnType<typeof createReports>

const windowMs = 60_000
const perWindow = 10
const timeoutMs = 5_000

export function createReports(
  identity: AgentIdentity,
  /** Null: errors are only logged. */
  client: Pick<ServerClient, 'call'> | null,
  clock: AgentClock,
  log: Log,
) {
  let reported = new Set<string>()
  let windowEndsAt = Number.NEGATIVE_INFINITY

  function isNew(message: string): boolean {
    if (clock.monotonic() > windowEndsAt) {
      reported = new Set()
      windowEndsAt = clock.monotonic() + windowMs
    }
    if (reported.size >= perWindow || reported.has(message)) return false
    reported.add(message)
    return true
  }

  function report(message: string, stack?: string): void {
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
    /** Never throws and never waits. The caller removes secrets from `message`. */
    send(message: string): void {
      if (!isNew(message)) return
      log.error({ message }, 'agent.error')
      report(message)
    },
    /** Reports the name, the code and the stack frames of a bug, but not its message, which may contain secrets. */
    reportBug(event: string, thrown: unknown): void {
      const error = toError(thrown)
      const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
      const message = `${event}: ${error.name} ${errorCode(error) ?? ''}`.trim()
      if (!isNew(`${message}\n${frames[0] ?? ''}`)) return
      log.error({ err: error }, event)
      report(message, frames.join('\n'))
    },
  }
}

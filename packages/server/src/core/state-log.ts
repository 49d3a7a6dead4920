// Logs when a check starts to fail, is degraded or recovers: once per change, after its transaction has committed.
import type { EventLog } from './event-log.ts'

export type LoggedState = 'passing' | 'degraded' | 'failing'

export interface StateChange {
  accountId: string
  checkId: string
  /** Null: its first run. */
  from: LoggedState | null
  /** When the state `from` began. */
  since: number | null
  to: LoggedState
  /** When the run that changed it was scheduled. */
  at: number
  location: string
  reason: string | null
}

export interface StateLog {
  add(changes: readonly StateChange[]): void
}

const maxReasonChars = 300
const maxRemembered = 50_000

export function createStateLog(
  events: EventLog,
  namesOf: (checkIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): StateLog {
  /** When a check stopped passing: it may be degraded first and fail later. */
  const troubleSince = new Map<string, number>()

  function write(change: StateChange, name: string): void {
    const { checkId, accountId, to, at, location } = change
    const since = troubleSince.get(checkId) ?? (change.from === 'passing' ? null : change.since) ?? undefined
    if (to === 'passing') troubleSince.delete(checkId)
    else if (troubleSince.size < maxRemembered) troubleSince.set(checkId, since ?? at)
    const lastedMs = since === undefined ? null : at - since
    const fields = {
      accountId,
      checkId,
      location,
      ...(to === 'passing' && lastedMs !== null && { lastedMs }),
    }
    events.info(`check.${to === 'passing' ? 'recovered' : to}`, fields, sentenceOf(change, name, lastedMs))
  }

  return {
    add(changes) {
      namesOf(changes.map(({ checkId }) => checkId)).then(
        (names) => {
          for (const change of changes) {
            const name = names.get(change.checkId)
            if (name !== undefined) write(change, name)
          }
        },
        // The database isn't reachable, which is logged elsewhere.
        () => undefined,
      )
    },
  }
}

function sentenceOf({ from, to, reason }: StateChange, name: string, lastedMs: number | null): string {
  const check = `Check "${name}"`
  if (to === 'passing') {
    return lastedMs === null ? `${check} recovered.` : `${check} recovered after ${durationText(lastedMs)}.`
  }
  const line =
    reason
      ?.trim()
      .split(/[\r\n]/, 1)[0]
      ?.slice(0, maxReasonChars) || null
  const state =
    to === 'failing' ? 'is failing' : from === 'failing' ? 'no longer fails, but is degraded' : 'is degraded'
  return line === null ? `${check} ${state}.` : `${check} ${state}: ${line}`
}

/** 40 s, 3 min, 2 h 5 min */
function durationText(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  const minutes = Math.round(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

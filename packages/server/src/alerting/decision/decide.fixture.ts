// Plays a script in one line: runs a minute apart, and between them what falls due, like the loops of the server.
import { type AlertSettings, defaultAlertSettings } from '@vedette/contracts'
import type { AlertRun, AlertState } from './alert-state.ts'
import { type Decision, decide, decideDue, dueOf, type Silence } from './decide.ts'

const minute = 60_000
/** The start of every script. */
export const start = Date.UTC(2026, 10, 15)

const single: Record<string, Pick<AlertRun, 'locations' | 'failed' | 'degraded'>> = {
  P: { locations: 1, failed: 0, degraded: 0 },
  D: { locations: 1, failed: 0, degraded: 1 },
  F: { locations: 1, failed: 1, degraded: 0 },
}

/** `3`: after three runs; `10m`: after ten minutes; `*2/5`: two reminders, every five minutes; `50%`: of the locations. */
function policyOf(words: string, base: AlertSettings = defaultAlertSettings): AlertSettings {
  const settings = structuredClone(base) as Record<string, unknown>
  for (const word of words.split(' ')) {
    const [, runs] = /^(\d+)$/.exec(word) ?? []
    const [, minutes] = /^(\d+)m$/.exec(word) ?? []
    const [, amount, interval] = /^\*(\d+)\/(\d+)$/.exec(word) ?? []
    const [, percentage] = /^(\d+)%$/.exec(word) ?? []
    if (runs !== undefined) {
      settings.escalationType = 'RUN_BASED'
      settings.runBasedEscalation = { failedRunThreshold: Number(runs) }
    } else if (minutes !== undefined) {
      settings.escalationType = 'TIME_BASED'
      settings.timeBasedEscalation = { minutesFailingThreshold: Number(minutes) }
    } else if (amount !== undefined) {
      settings.reminders = { amount: Number(amount), interval: Number(interval) }
    } else if (percentage !== undefined) {
      settings.parallelRunFailureThreshold = { enabled: true, percentage: Number(percentage) }
    } else throw new Error(`unknown policy: ${word}`)
  }
  return settings as AlertSettings
}

/**
 * Tokens of a script:
 * - `P`, `D`, `F`: a run; in lower case, one that arrives late; `FFP`: several at once, the last of them now
 * - `f~F`: deliveries five seconds apart, `f~~F`: ten
 * - `2/5`, `1+2/5`: failed, or failed and degraded, of all locations
 * - `.`, `.9`: minutes without a run
 * - `muted`, `inactive`, `maintenance`, `lifted`: from here on
 * - `=2`, `=10m`, `=*1/5`: a change of policy
 *
 * Tokens of the outcome: for each delivery an alert without its prefix, `(the reason it was held)` or `-`; `@7:…` an alert that
 * fell due in minute 7; `@7#0` the first reminder.
 */
export function play(policy: string, script: string): string {
  const player = new Player(policyOf(policy))
  for (const token of script.split(' ')) player.play(token)
  return player.outcome.join(' ')
}

class Player {
  readonly outcome: string[] = []
  state: AlertState | null = null
  private settings: AlertSettings
  private silence: Silence | null = null
  private dueAt: number | null = null
  private now = start
  private next = start
  private decidedAt = Number.NEGATIVE_INFINITY

  constructor(settings: AlertSettings) {
    this.settings = settings
  }

  play(token: string): void {
    if (token === 'lifted') this.silence = null
    else if (token === 'muted' || token === 'inactive' || token === 'maintenance') this.silence = token
    else if (token.startsWith('=')) this.settings = policyOf(token.slice(1), this.settings)
    else if (token.startsWith('.')) {
      this.next += (Number(token.slice(1)) || 1) * minute
      // Up to, and not including, the next run's minute.
      this.pass(this.next - 1)
    } else {
      token.split('~').forEach((delivery, index) => {
        this.pass(this.next + index * 5000)
        if (delivery !== '') this.deliver(delivery)
      })
      this.next += minute
    }
  }

  private deliver(delivery: string): void {
    const shares = delivery.includes('/') ? [shareOf(delivery)] : [...delivery.toUpperCase()].map(runOf)
    const runs = shares.map((share, index) => ({
      ...share,
      at: this.now - (shares.length - 1 - index) * minute,
    }))
    const isLate = delivery !== delivery.toUpperCase()
    if (runs.some(({ at }) => at <= this.decidedAt))
      throw new Error(`${delivery} begins before what was decided`)
    this.decidedAt = this.now
    const { settings, silence, now } = this
    this.outcome.push(this.apply(decide(this.state, { runs, isLate }, { settings, silence, now })) ?? '-')
  }

  /** Decides everything that falls due until then. */
  private pass(to: number): void {
    for (let turns = 0; this.dueAt !== null && this.dueAt <= to; turns++) {
      if (turns > 10_000) throw new Error('it falls due again and again')
      if (this.state === null) throw new Error('something is due without a state')
      this.now = Math.max(this.now, this.dueAt)
      const { settings, silence, now } = this
      const output = this.apply(decideDue(this.state, { settings, silence, now }))
      if (output !== null) this.outcome.push(`@${minuteOf(now)}${output.startsWith('#') ? '' : ':'}${output}`)
    }
    this.now = Math.max(this.now, to)
  }

  private apply({ state, alert, reminder, dueAt }: Decision): string | null {
    const expected = state === null ? null : dueOf(state, this.settings)
    if (dueAt !== expected) throw new Error(`due at ${dueAt}, expected ${expected}`)
    this.state = state
    this.dueAt = dueAt
    if (alert !== null && reminder !== null) throw new Error('an alert and a reminder at once')
    if (reminder !== null) return `#${reminder}`
    if (alert === null) return null
    return alert.heldBy === null ? alert.type.replace('ALERT_', '') : `(${alert.heldBy})`
  }
}

function runOf(letter: string): Pick<AlertRun, 'locations' | 'failed' | 'degraded'> {
  const run = single[letter]
  if (run === undefined) throw new Error(`unknown run: ${letter}`)
  return run
}

function shareOf(text: string): Pick<AlertRun, 'locations' | 'failed' | 'degraded'> {
  const [, failed, degraded = 0, locations] = /^(\d+)(?:\+(\d+))?\/(\d+)$/.exec(text) ?? []
  return { locations: Number(locations), failed: Number(failed), degraded: Number(degraded) }
}

function minuteOf(instant: number): string {
  const seconds = Math.round((instant - start) / 1000)
  const rest = seconds % 60
  return rest === 0 ? String(seconds / 60) : `${Math.floor(seconds / 60)}:${String(rest).padStart(2, '0')}`
}

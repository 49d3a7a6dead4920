// A reference implementation of the decision: a log of all events, replayed from the start for each decision, and the published
// table of transitions. Slow and simple; decide.ts must agree with it.
import type { AlertSettings } from '@vedette/contracts'
import type { AlertRun } from './alert-state.ts'
import type { DecideOptions } from './decide.ts'

type Letter = 'P' | 'D' | 'F'

/** [code, whether the threshold applies], by the letters of from and to. */
type Row = readonly [code: string, isCounted: boolean]

const table: Record<string, Row> = {
  PD: ['ALERT_DEGRADED', true],
  PF: ['ALERT_FAILURE', true],
  DD: ['ALERT_DEGRADED_REMAIN', true],
  DP: ['ALERT_DEGRADED_RECOVERY', false],
  DF: ['ALERT_DEGRADED_FAILURE', false],
  FF: ['ALERT_FAILURE_REMAIN', true],
  FD: ['ALERT_FAILURE_DEGRADED', false],
  FP: ['ALERT_RECOVERY', false],
}

type Entry =
  | { what: 'run'; letter: Letter; raw: Letter; at: number }
  | { what: 'late'; until: number }
  | { what: 'settled' }
  /** `next`: the first reminder. */
  | { what: 'notice'; letter: Letter; isSent: boolean; next: number | null }
  | { what: 'reminder'; isSent: boolean; next: number | null }

interface ModelDecision {
  /** The code, `NO_ALERT <reason>`, `reminder <n>`, or null. */
  output: string | null
  dueAt: number | null
  isRemembered: boolean
  letter: Letter
  streak: number
  since: number | null
  /** Null while the check passes. */
  episodeAt: number | null
}

export class DecideModel {
  private readonly log: Entry[] = []

  runs(runs: readonly AlertRun[], isLate: boolean, options: DecideOptions): ModelDecision {
    const rawBefore = this.lastRun().raw
    for (const run of runs) {
      const share = options.settings.parallelRunFailureThreshold
      const atLeast = (count: number) =>
        count > 0 &&
        (!share.enabled || run.locations < 2 || count / run.locations >= share.percentage / 100 - 1e-9)
      const letter = atLeast(run.failed) ? 'F' : atLeast(run.failed + run.degraded) ? 'D' : 'P'
      const raw = run.failed > 0 ? 'F' : run.degraded > 0 ? 'D' : 'P'
      this.log.push({ what: 'run', letter, raw, at: run.at })
    }
    if (isLate) {
      this.log.push({ what: 'late', until: this.settleAt() ?? options.now + 20_000 })
      return this.decision(null, options.settings)
    }
    this.log.push({ what: 'settled' })
    const output = this.notify(options)
    return this.decision(output ?? this.heldChange(rawBefore), options.settings)
  }

  due(options: DecideOptions): ModelDecision {
    const { settings, now } = options
    const isReached = (instant: number | null) => instant !== null && instant <= now
    if (isReached(this.settleAt())) {
      this.log.push({ what: 'settled' })
      return this.decision(this.notify(options), settings)
    }
    if (isReached(this.escalateAt(settings))) return this.decision(this.notify(options), settings)
    if (isReached(this.remindAt())) return this.decision(this.remind(options), settings)
    return this.decision(null, settings)
  }

  private notify({ settings, silence, now }: DecideOptions): string | null {
    const { letter } = this.lastRun()
    const { level, isNotified } = this.knownLevel()
    if (letter === 'P' && !isNotified) return null
    if (letter === level) return null
    const from = level === 'P' ? this.letterBefore(letter) : level
    // With an escalation by time, the state has lasted by then, even if it is one run.
    const isLasting = from === 'P' && settings.escalationType === 'TIME_BASED'
    const [code, isCounted] = table[`${isLasting ? letter : from}${letter}`] as Row
    if (isCounted && !this.isLongEnough(settings, now)) return null
    const { amount, interval } = settings.reminders
    const next = amount > 0 && letter !== 'P' ? now + interval * 60_000 : null
    this.log.push({ what: 'notice', letter, isSent: silence === null, next })
    return silence === null ? code : `NO_ALERT ${silence}`
  }

  private remind({ settings, silence, now }: DecideOptions): string | null {
    const sent = this.remindersSent()
    const { amount, interval } = settings.reminders
    const isPointless = sent >= amount
    const isSent = !isPointless && silence === null
    const isLast = isPointless || (isSent && sent + 1 >= amount)
    this.log.push({ what: 'reminder', isSent, next: isLast ? null : now + interval * 60_000 })
    return isSent ? `reminder ${sent}` : null
  }

  /** The change that was held back. */
  private heldChange(rawBefore: Letter): string | null {
    const { raw, letter } = this.lastRun()
    if (raw === rawBefore) return null
    if (letter === 'P') return raw === 'P' ? 'NO_ALERT untold' : 'NO_ALERT parallel_threshold'
    return this.knownLevel().level === 'P' ? 'NO_ALERT threshold' : null
  }

  /** The level of the last notice: a sent one holds until the next is sent, a silenced one until a run passes. */
  private knownLevel(): { level: Letter; isNotified: boolean; episodeAt: number | null } {
    let level: Letter = 'P'
    let isNotified = false
    let episodeAt: number | null = null
    for (const entry of this.log) {
      if (entry.what === 'run' && !isNotified) {
        if (entry.letter === 'P') level = 'P'
        episodeAt = entry.letter === 'P' ? null : (episodeAt ?? entry.at)
      }
      if (entry.what !== 'notice') continue
      level = entry.letter
      isNotified = level !== 'P' && (isNotified || entry.isSent)
      if (level === 'P') episodeAt = null
    }
    return { level, isNotified, episodeAt }
  }

  private isLongEnough(settings: AlertSettings, now: number): boolean {
    const { streak, since } = this.streakOf()
    if (settings.escalationType === 'RUN_BASED')
      return streak >= settings.runBasedEscalation.failedRunThreshold
    return since !== null && now - since >= settings.timeBasedEscalation.minutesFailingThreshold * 60_000
  }

  private streakOf(): { streak: number; since: number | null } {
    const runs = this.log.filter((entry) => entry.what === 'run')
    const streak = runs.length - 1 - runs.findLastIndex(({ letter }) => letter === 'P')
    return { streak, since: streak === 0 ? null : (runs.at(-streak)?.at ?? null) }
  }

  /** A backlog may hide the run at which the state changed: the state before the backlog counts. */
  private letterBefore(letter: Letter): Letter {
    const letters = this.letters()
    const earlier = letters.replace(new RegExp(`${letter}+$`), '').at(-1) ?? 'P'
    const isLasting = letters.at(-2) === letter
    return (earlier === 'P' && isLasting ? letter : earlier) as Letter
  }

  private letters(): string {
    return this.log.map((entry) => (entry.what === 'run' ? entry.letter : '')).join('')
  }

  private lastRun(): { letter: Letter; raw: Letter } {
    return this.log.findLast((entry) => entry.what === 'run') ?? { letter: 'P', raw: 'P' }
  }

  private settleAt(): number | null {
    const last = this.log.findLast(({ what }) => what === 'late' || what === 'settled')
    return last?.what === 'late' ? last.until : null
  }

  private escalateAt(settings: AlertSettings): number | null {
    const { since } = this.streakOf()
    const isOpen = since !== null && this.knownLevel().level === 'P' && this.settleAt() === null
    if (!isOpen || settings.escalationType === 'RUN_BASED') return null
    return since + settings.timeBasedEscalation.minutesFailingThreshold * 60_000
  }

  /** A silenced change ends the reminders of the sent alert. While the episode may be over, they wait. */
  private remindAt(): number | null {
    const last = this.log.findLast((entry) => entry.what === 'reminder' || entry.what === 'notice')
    if (last === undefined || this.lastRun().letter === 'P') return null
    return last.what === 'notice' && !last.isSent ? null : last.next
  }

  private remindersSent(): number {
    const from = this.log.findLastIndex((entry) => entry.what === 'notice' && entry.isSent)
    return this.log.slice(from).filter((entry) => entry.what === 'reminder' && entry.isSent).length
  }

  private decision(output: string | null, settings: AlertSettings): ModelDecision {
    const { letter, raw } = this.lastRun()
    const times = [this.settleAt(), this.escalateAt(settings), this.remindAt()].filter((at) => at !== null)
    return {
      output,
      dueAt: times.sort((a, b) => a - b)[0] ?? null,
      isRemembered: letter !== 'P' || raw !== 'P' || this.settleAt() !== null,
      letter,
      ...this.streakOf(),
      episodeAt: letter === 'P' ? null : this.knownLevel().episodeAt,
    }
  }
}

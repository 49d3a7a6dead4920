// The same decision a second time, told differently: a diary of everything that happened, read from its beginning for each
// answer, and the table of transitions as it is published. Slow and plain; decide.ts must agree with it.
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

type Page =
  | { what: 'run'; letter: Letter; raw: Letter; at: number }
  | { what: 'late'; until: number }
  | { what: 'settled' }
  /** `next`: the first reminder. */
  | { what: 'notice'; letter: Letter; isSent: boolean; next: number | null }
  | { what: 'reminder'; isSent: boolean; next: number | null }

interface ModelAnswer {
  /** The code, `NO_ALERT <reason>`, `reminder <n>`, or nothing. */
  says: string | null
  dueAt: number | null
  isRemembered: boolean
  letter: Letter
  streak: number
  since: number | null
  /** Null while the check passes. */
  episodeAt: number | null
}

export class DecideModel {
  private readonly diary: Page[] = []

  runs(runs: readonly AlertRun[], isLate: boolean, options: DecideOptions): ModelAnswer {
    const rawBefore = this.lastRun().raw
    for (const run of runs) {
      const share = options.settings.parallelRunFailureThreshold
      const atLeast = (count: number) =>
        count > 0 &&
        (!share.enabled || run.locations < 2 || count / run.locations >= share.percentage / 100 - 1e-9)
      const letter = atLeast(run.failed) ? 'F' : atLeast(run.failed + run.degraded) ? 'D' : 'P'
      const raw = run.failed > 0 ? 'F' : run.degraded > 0 ? 'D' : 'P'
      this.diary.push({ what: 'run', letter, raw, at: run.at })
    }
    if (isLate) {
      this.diary.push({ what: 'late', until: this.settleAt() ?? options.now + 20_000 })
      return this.answer(null, options.settings)
    }
    this.diary.push({ what: 'settled' })
    const says = this.speak(options)
    return this.answer(says ?? this.heldChange(rawBefore), options.settings)
  }

  due(options: DecideOptions): ModelAnswer {
    const { settings, now } = options
    const isReached = (instant: number | null) => instant !== null && instant <= now
    if (isReached(this.settleAt())) {
      this.diary.push({ what: 'settled' })
      return this.answer(this.speak(options), settings)
    }
    if (isReached(this.escalateAt(settings))) return this.answer(this.speak(options), settings)
    if (isReached(this.remindAt())) return this.answer(this.remind(options), settings)
    return this.answer(null, settings)
  }

  private speak({ settings, silence, now }: DecideOptions): string | null {
    const { letter } = this.lastRun()
    const { level, isNotified } = this.believed()
    if (letter === 'P' && !isNotified) return null
    if (letter === level) return null
    const from = level === 'P' ? this.letterBefore(letter) : level
    // What had to last some minutes remains by then, though it be one run.
    const isLasting = from === 'P' && settings.escalationType === 'TIME_BASED'
    const [code, isCounted] = table[`${isLasting ? letter : from}${letter}`] as Row
    if (isCounted && !this.isLongEnough(settings, now)) return null
    const { amount, interval } = settings.reminders
    const next = amount > 0 && letter !== 'P' ? now + interval * 60_000 : null
    this.diary.push({ what: 'notice', letter, isSent: silence === null, next })
    return silence === null ? code : `NO_ALERT ${silence}`
  }

  private remind({ settings, silence, now }: DecideOptions): string | null {
    const sent = this.remindersSent()
    const { amount, interval } = settings.reminders
    const isPointless = sent >= amount
    const isSent = !isPointless && silence === null
    const isLast = isPointless || (isSent && sent + 1 >= amount)
    this.diary.push({ what: 'reminder', isSent, next: isLast ? null : now + interval * 60_000 })
    return isSent ? `reminder ${sent}` : null
  }

  /** What there was to say and was not said. */
  private heldChange(rawBefore: Letter): string | null {
    const { raw, letter } = this.lastRun()
    if (raw === rawBefore) return null
    if (letter === 'P') return raw === 'P' ? 'NO_ALERT untold' : 'NO_ALERT parallel_threshold'
    return this.believed().level === 'P' ? 'NO_ALERT threshold' : null
  }

  /** The level that the last notice left behind: a told one until people hear otherwise, a silent one until a run passes. */
  private believed(): { level: Letter; isNotified: boolean; episodeAt: number | null } {
    let level: Letter = 'P'
    let isNotified = false
    let episodeAt: number | null = null
    for (const page of this.diary) {
      if (page.what === 'run' && !isNotified) {
        if (page.letter === 'P') level = 'P'
        episodeAt = page.letter === 'P' ? null : (episodeAt ?? page.at)
      }
      if (page.what !== 'notice') continue
      level = page.letter
      isNotified = level !== 'P' && (isNotified || page.isSent)
      if (level === 'P') episodeAt = null
    }
    return { level, isNotified, episodeAt }
  }

  private isLongEnough(settings: AlertSettings, now: number): boolean {
    const { streak, since } = this.trouble()
    if (settings.escalationType === 'RUN_BASED')
      return streak >= settings.runBasedEscalation.failedRunThreshold
    return since !== null && now - since >= settings.timeBasedEscalation.minutesFailingThreshold * 60_000
  }

  private trouble(): { streak: number; since: number | null } {
    const runs = this.diary.filter((page) => page.what === 'run')
    const streak = runs.length - 1 - runs.findLastIndex(({ letter }) => letter === 'P')
    return { streak, since: streak === 0 ? null : (runs.at(-streak)?.at ?? null) }
  }

  /** A backlog may hide the run at which it changed for the worse: what counts is what it was before. */
  private letterBefore(letter: Letter): Letter {
    const letters = this.letters()
    const earlier = letters.replace(new RegExp(`${letter}+$`), '').at(-1) ?? 'P'
    const isLasting = letters.at(-2) === letter
    return (earlier === 'P' && isLasting ? letter : earlier) as Letter
  }

  private letters(): string {
    return this.diary.map((page) => (page.what === 'run' ? page.letter : '')).join('')
  }

  private lastRun(): { letter: Letter; raw: Letter } {
    return this.diary.findLast((page) => page.what === 'run') ?? { letter: 'P', raw: 'P' }
  }

  private settleAt(): number | null {
    const last = this.diary.findLast(({ what }) => what === 'late' || what === 'settled')
    return last?.what === 'late' ? last.until : null
  }

  private escalateAt(settings: AlertSettings): number | null {
    const { since } = this.trouble()
    const isOpen = since !== null && this.believed().level === 'P' && this.settleAt() === null
    if (!isOpen || settings.escalationType === 'RUN_BASED') return null
    return since + settings.timeBasedEscalation.minutesFailingThreshold * 60_000
  }

  /** A silent change ends the reminders of what was told before; while it may be over, they wait. */
  private remindAt(): number | null {
    const last = this.diary.findLast((page) => page.what === 'reminder' || page.what === 'notice')
    if (last === undefined || this.lastRun().letter === 'P') return null
    return last.what === 'notice' && !last.isSent ? null : last.next
  }

  private remindersSent(): number {
    const from = this.diary.findLastIndex((page) => page.what === 'notice' && page.isSent)
    return this.diary.slice(from).filter((page) => page.what === 'reminder' && page.isSent).length
  }

  private answer(says: string | null, settings: AlertSettings): ModelAnswer {
    const { letter, raw } = this.lastRun()
    const times = [this.settleAt(), this.escalateAt(settings), this.remindAt()].filter((at) => at !== null)
    return {
      says,
      dueAt: times.sort((a, b) => a - b)[0] ?? null,
      isRemembered: letter !== 'P' || raw !== 'P' || this.settleAt() !== null,
      letter,
      ...this.trouble(),
      episodeAt: letter === 'P' ? null : this.believed().episodeAt,
    }
  }
}

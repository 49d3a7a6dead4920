// Renders times, durations and verdicts for people.
import { type Html, html } from '../core/html.ts'
import { type StateName, stateIcon } from '../look/icons.ts'

/** Three significant digits: 312 ms, 1.24 s, 2 min 5 s. */
export function durationInWords(ms: number): string {
  if (ms < 999.5) return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`
  if (ms < 59_950) return `${Number((ms / 1000).toPrecision(3))} s`
  const seconds = Math.round(ms / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`
}

export function timeOf(iso: string): Html {
  const at = new Date(iso).toISOString()
  return html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)} UTC</time>`
}

/** Adds the capital letter and the period that messages of older agents don't have. */
export function sentence(text: string): string {
  const trimmed = text.trim()
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?…]$/.test(first) || first.includes('\n') ? first : `${first}.`
}

export function cutText(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).toWellFormed()}…`
}

type Tone = Extract<StateName, 'passing' | 'degraded' | 'failing' | 'unknown' | 'running'>

export interface Verdict {
  tone: Tone
  label: string
}

interface Outcome {
  has_failures: boolean
  has_errors: boolean
  is_degraded: boolean
  is_cancelled: boolean
}

export function verdictOf(row: Outcome): Verdict {
  if (row.is_cancelled) return { tone: 'unknown', label: 'Canceled' }
  if (row.has_failures) return { tone: 'failing', label: 'Failed' }
  if (row.has_errors) return { tone: 'unknown', label: 'Couldn’t run' }
  return row.is_degraded ? { tone: 'degraded', label: 'Degraded' } : { tone: 'passing', label: 'Passed' }
}

export function stateLine({ tone, label }: Verdict): Html {
  return html`<p class="state lead ${tone}">${stateIcon(tone)}${label}</p>`
}

export function facts(entries: readonly (readonly [string, string | Html] | null)[]): Html {
  const shown = entries.filter((entry) => entry !== null)
  return html`<dl>
${shown.map(([name, value]) => html`<dt>${name}</dt><dd class="num">${value}</dd>\n`)}</dl>`
}

/** One line of a list of runs. */
export function runLine(run: {
  verdict: Verdict
  what: string
  durationMs: number | null
  note: Html | string | null
}): Html {
  const { verdict, what, durationMs, note } = run
  return html`<li class="run"><span class="state ${verdict.tone}">${stateIcon(verdict.tone)}${verdict.label}</span>
<span class="where">${what}</span>
<span class="num">${durationMs === null ? null : durationInWords(durationMs)}</span>${
    note === null ? null : html`\n<span class="muted">${note}</span>`
  }</li>
`
}

// A language with its texts, numbers and times. All times are in UTC.
import type { IncomingHttpHeaders } from 'node:http'
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import { type Html, html } from '../../core/html.ts'
import { isRecord } from '../../core/is-record.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'

const texts = { en, de } satisfies Record<string, Texts>

export type Language = keyof typeof texts
export const languages = ['en', 'de'] as const satisfies readonly Language[]

export interface Speech {
  language: Language
  texts: Texts
  percent(share: number): string
  duration(ms: number): string
  day(ms: number): string
  month(ms: number): string
  /** As text: Nov 16, 2026, 08:30 UTC. */
  timeText(ms: number): string
  time(ms: number): Html
  /** As text: Nov 16, 2026, 08:30 – 09:30 UTC. */
  spanText(start: number, end: number): string
}

const speeches = { en: speechOf('en'), de: speechOf('de') } satisfies Record<Language, Speech>

/** For a request of a visitor: `?lang=` wins over the languages of the browser. */
export function speechFor(request: { query: unknown; headers: IncomingHttpHeaders }): Speech {
  const asked = isRecord(request.query) ? request.query.lang : undefined
  return chooseSpeech(asked, request.headers['accept-language'])
}

/** `asked` wins over the languages that the browser accepts; English is the default. */
export function chooseSpeech(asked: unknown, accepted: string | undefined): Speech {
  const wanted = [String(asked ?? ''), ...acceptedLanguages(accepted)]
  for (const tag of wanted) {
    const language = languages.find((one) => tag.toLowerCase().split('-')[0] === one)
    if (language !== undefined) return speeches[language]
  }
  return speeches.en
}

/** By weight, as RFC 9110 has it. */
function acceptedLanguages(header = ''): string[] {
  const tags = header.slice(0, 200).split(',')
  const weighted = tags.map((entry) => {
    const [tag = '', quality] = entry.split(';q=')
    return { tag: tag.trim(), weight: quality === undefined ? 1 : Number(quality) || 0 }
  })
  return weighted.sort((a, b) => b.weight - a.weight).map(({ tag }) => tag)
}

function speechOf(language: Language): Speech {
  const inUtc = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options })
  const day = inUtc({ day: 'numeric', month: 'short', year: 'numeric' })
  // A page names each of its 90 days once per service, and Intl takes a third of the time of rendering it (measured).
  const days = new LRUCache<number, string>({ max: 500, memoMethod: (ms) => day.format(ms) })
  const month = inUtc({ month: 'long', year: 'numeric' })
  const time = inUtc({
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const percent = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const timeText = (ms: number) => `${time.format(ms)} UTC`
  return {
    language,
    texts: texts[language],
    // Rounded down: 100 % means that nothing happened.
    percent: (share) => (share === 1 ? '100 %' : `${percent.format(Math.floor(share * 10_000) / 100)} %`),
    duration: (ms) =>
      texts[language].duration(
        Math.floor(ms / dayMs),
        Math.floor((ms % dayMs) / hourMs),
        Math.floor((ms % hourMs) / minuteMs),
      ),
    day: (ms) => days.memo(ms),
    month: (ms) => month.format(ms),
    timeText,
    // Like timeText: ordinary spaces, and without the German "Uhr".
    spanText: (start, end) =>
      `${time
        .formatRange(start, end)
        .replace(/[\u2009\u202f]/g, ' ')
        .replace(/ Uhr$/, '')} UTC`,
    time: (ms) => html`<time datetime="${new Date(ms).toISOString()}">${timeText(ms)}</time>`,
  }
}

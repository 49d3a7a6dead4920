// Pages and errors of a browser check, from the events of instrument.cjs. Pure.

/** The upper limits of "good" and "needs improvement", as published on web.dev. */
const limits = {
  TTFB: [800, 1800],
  FCP: [1800, 3000],
  LCP: [2500, 4000],
  CLS: [0.1, 0.25],
  TBT: [200, 600],
} as const

interface Event {
  type?: unknown
  [field: string]: unknown
}

const maxPages = 50

export function pageEvents(events: readonly unknown[]) {
  const known = events.filter((event): event is Event => typeof event === 'object' && event !== null)
  const count = (type: string) => known.filter((event) => event.type === type).length
  return {
    pages: pagesOf(known.filter(({ type }) => type === 'vitals')),
    traceSummary: {
      consoleErrors: count('console'),
      networkErrors: count('network'),
      documentErrors: count('document'),
      userScriptErrors: count('page'),
    },
    /** For the log. */
    lines: known.flatMap(lineOf),
  }
}

/** The last event of each page load counts. */
function pagesOf(vitals: readonly Event[]) {
  const last = new Map(vitals.map((event) => [`${event.page} ${event.at}`, event]))
  return [...last.values()].slice(0, maxPages).map((event) => ({
    url: String(event.url ?? ''),
    webVitals: Object.fromEntries(
      Object.entries(limits).flatMap(([name, [good, fair]]) => {
        const value = numberOf(event[name])
        return value === null ? [] : [[name, { score: scoreOf(value, good, fair), value }]]
      }),
    ),
    pageTimings: { onContentLoad: numberOf(event.onContentLoad), onLoad: numberOf(event.onLoad) },
    responseSizes: { transferred: numberOf(event.transferred) },
  }))
}

function scoreOf(value: number, good: number, fair: number): 'GOOD' | 'NEEDS_IMPROVEMENT' | 'POOR' {
  if (value <= good) return 'GOOD'
  return value <= fair ? 'NEEDS_IMPROVEMENT' : 'POOR'
}

function numberOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return null
  return Math.round(value * 1000) / 1000
}

function lineOf({ type, message, url, method, status }: Event): string[] {
  if (type === 'console') return [`console error on ${url}: ${message}`]
  if (type === 'page') return [`uncaught error on ${url}: ${message}`]
  if (type === 'network' || type === 'document') return [`${method} ${url}: ${status ?? message}`]
  return []
}

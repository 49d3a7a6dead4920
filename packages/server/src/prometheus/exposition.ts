// Renders the Prometheus text format 0.0.4.

export type MetricType = 'counter' | 'gauge' | 'histogram'
export type Labels = Readonly<Record<string, string>>

export interface Sample {
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  suffix?: string
  labels: Labels
  value: number
}

export interface Family {
  name: string
  help: string
  type: MetricType
  samples: readonly Sample[]
}

export function renderExposition(families: Iterable<Family>): string {
  const lines: string[] = []
  for (const { name, help, type, samples } of families) {
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`)
    for (const { suffix = '', labels, value } of samples) {
      lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

// biome-ignore-all lint/suspicious/noArrayIndexKey: lines have a fixed order
import { formatClock } from '../../core/format.ts'
import { useTimeOptions } from '../../parts/time.tsx'

interface LogLine {
  time: number
  msg: string
  level: string
}

export function LogLines({ title, lines }: { title: string; lines: readonly LogLine[] }) {
  const options = useTimeOptions()
  if (lines.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ol className="panel log">
        {lines.map(({ time, msg, level }, index) => (
          <li
            key={index}
            className={/error|fatal/i.test(level) ? 'failing' : /warn/i.test(level) ? 'degraded' : ''}
          >
            <span className="muted-text">{formatClock(time, options)}</span>{' '}
            <span className="unseen">{level}: </span>
            {msg}
          </li>
        ))}
      </ol>
    </section>
  )
}

import { formatExact } from '../../core/format.ts'
import { isSpan, spanLabels, spans, type TimeRange, writeRange } from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { useTimeOptions } from '../../parts/time.tsx'

/** The spans, or two instants that were chosen by dragging over a chart. */
export function RangePicker({ range }: { range: TimeRange }) {
  const [search, setSearch] = useSearchParameters()
  const options = useTimeOptions()
  return (
    <fieldset className="range-picker">
      <legend className="unseen">Time range</legend>
      {range.span === null && (
        <span className="muted-text">
          {formatExact(range.from * 1000, options)} – {formatExact(range.to * 1000, options)}
        </span>
      )}
      {Object.keys(spans)
        .filter(isSpan)
        .map((span) => (
          <button
            key={span}
            type="button"
            className="chip"
            aria-pressed={range.span === span}
            aria-label={spanLabels[span]}
            onClick={() => setSearch(writeRange(search, span), { isNewEntry: true })}
          >
            {span.replace(/\D+/, ' $&')}
          </button>
        ))}
    </fieldset>
  )
}

import { type FormEvent, useState } from 'react'
import { formatExact } from '../../core/format.ts'
import {
  fromInputTime,
  isSpan,
  spanLabels,
  spans,
  type TimeRange,
  toInputTime,
  writeRange,
} from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { useTimeOptions } from '../../parts/time.tsx'

/** The spans, or two instants that were entered, or chosen by dragging over a chart. */
export function RangePicker({ range }: { range: TimeRange }) {
  const [search, setSearch] = useSearchParameters()
  const [isOpen, setOpen] = useState(false)
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
      <button
        type="button"
        className="chip"
        aria-pressed={range.span === null}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        Custom
      </button>
      {isOpen && (
        <RangeForm
          range={range}
          onClose={() => setOpen(false)}
          onChoose={(next) => {
            setOpen(false)
            setSearch(writeRange(search, next), { isNewEntry: true })
          }}
        />
      )}
    </fieldset>
  )
}

interface RangeFormProps {
  range: TimeRange
  onClose(): void
  onChoose(range: { from: number; to: number }): void
}

function RangeForm({ range, onClose, onChoose }: RangeFormProps) {
  const { isUtc } = useTimeOptions()
  const [from, setFrom] = useState(toInputTime(range.from, isUtc))
  const [to, setTo] = useState(toInputTime(range.to, isUtc))
  const [start, end] = [fromInputTime(from, isUtc), fromInputTime(to, isUtc)]
  const problem =
    start === null || end === null
      ? 'Enter both times.'
      : end <= start
        ? 'The end must be after the start.'
        : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (start !== null && end !== null && problem === null) onChoose({ from: start, to: end })
  }
  return (
    <Overlay title="Time range" isOpen onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <label className="field">
          From{isUtc && ', in UTC'}
          <input type="datetime-local" value={from} onChange={({ target }) => setFrom(target.value)} />
        </label>
        <label className="field">
          To{isUtc && ', in UTC'}
          <input type="datetime-local" value={to} onChange={({ target }) => setTo(target.value)} />
        </label>
        {problem !== null && (
          <p className="field-error" role="alert">
            {problem}
          </p>
        )}
        <div className="actions">
          <ActionButton type="submit" look="primary" isDisabled={problem !== null}>
            Show
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

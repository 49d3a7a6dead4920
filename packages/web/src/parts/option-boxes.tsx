// Checkboxes for the entries of a list. A long list has a search, and shows what is chosen and the first matches.
import { useState } from 'react'
import { formatCount } from '../core/format.ts'

/** Fewer are read quicker than searched. */
const minSearched = 24
const shownMatches = 50

interface OptionBoxesProps<V> {
  /** What is chosen: `Locations`. */
  label: string
  options: readonly { value: V; label: string }[]
  isChosen(value: V): boolean
  onToggle(value: V, isChosen: boolean): void
}

export function OptionBoxes<V>({ label, options, isChosen, onToggle }: OptionBoxesProps<V>) {
  const [text, setText] = useState('')
  // What was chosen stays on the screen after it is unchecked: boxes don't move under the pointer.
  const [kept] = useState(() => new Set<V>())
  for (const { value } of options) if (isChosen(value)) kept.add(value)
  const query = text.trim().toLowerCase()
  const isLong = options.length > minSearched
  const matches = query === '' ? options : options.filter((one) => one.label.toLowerCase().includes(query))
  const first = new Set(isLong ? matches.slice(0, shownMatches) : matches)
  const shown = isLong ? matches.filter((one) => first.has(one) || kept.has(one.value)) : matches
  return (
    <>
      {isLong && (
        <input
          type="search"
          className="search-input"
          aria-label={`Search: ${label}`}
          placeholder={`Search ${formatCount(options.length)}`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      <div className="many-options">
        {shown.map(({ value, label: name }) => (
          <label key={String(value)} className="check-box">
            <input
              type="checkbox"
              checked={isChosen(value)}
              onChange={({ target }) => onToggle(value, target.checked)}
            />
            {name}
          </label>
        ))}
      </div>
      <p className="hint" role="status">
        {matches.length === 0 && query !== '' && 'Nothing matches.'}
        {matches.length > shown.length &&
          `${formatCount(matches.length - shown.length)} more. Type to find them.`}
      </p>
    </>
  )
}

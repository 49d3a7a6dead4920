// Finds a check or a group by name, and picks it.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { call, type ResponseTo } from '../api/call.ts'
import { Overlay } from './dialog.tsx'
import { Failure } from './states.tsx'

type PickedResource = ResponseTo<'GET /v1/search'>[number]

interface ResourcePickerProps {
  title: string
  kinds: readonly PickedResource['kind'][]
  onPick(resource: PickedResource): void
  onClose(): void
}

const kindNames: { [K in PickedResource['kind']]?: string } = { check: 'Check', group: 'Group' }
const limit = 20

export function ResourcePicker({ title, kinds, onPick, onClose }: ResourcePickerProps) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const query = useDeferredValue(text.trim())
  const listId = useId()
  const { data, error, refetch } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) => call('GET /v1/search', { query: { query, limit } }, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const found = query === '' ? [] : (data ?? []).filter(({ kind }) => kinds.includes(kind))
  const index = Math.min(chosen, found.length - 1)
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(Math.max(0, Math.min(found.length - 1, index + step)))
    }
    const one = found[index]
    if (event.key === 'Enter' && one !== undefined) {
      event.preventDefault()
      onPick(one)
    }
  }
  return (
    <Overlay title={title} isOpen onClose={onClose}>
      <input
        className="search-input"
        type="search"
        role="combobox"
        aria-label={title}
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={index >= 0 ? `${listId}-${index}` : undefined}
        placeholder="Name, tag or address"
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here
        autoFocus
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(0)
        }}
        onKeyDown={handleKey}
      />
      {error && <Failure what="The search results" error={error} onRetry={refetch} />}
      <div id={listId} role="listbox" aria-label="Results" className="search-results">
        {found.map((one, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={`${one.kind} ${one.id}`}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === index}
            onClick={() => onPick(one)}
          >
            <span className="cut">{one.name}</span>
            <small className="hint">{one.detail ?? kindNames[one.kind]}</small>
          </div>
        ))}
      </div>
      {query !== '' && data !== undefined && found.length === 0 && !error && (
        <p className="hint">Nothing is called “{query}”.</p>
      )}
    </Overlay>
  )
}

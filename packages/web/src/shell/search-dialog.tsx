// Finds checks and groups by name.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { call, type ResponseTo } from '../api/call.ts'
import { Overlay } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'

type Found = ResponseTo<'GET /v1/search'>[number]

/** Kinds that have a screen. */
const addressOf: { [K in Found['kind']]?: (id: string) => string } = {
  check: (id) => `/checks/${id}`,
  group: (id) => `/checks?groupId=${id}`,
  'alert-channel': (id) => `/alerts/channels/${id}`,
  incident: (id) => `/incidents/${id}`,
  'status-page': (id) => `/status-pages/${id}`,
  dashboard: (id) => `/dashboards/${id}`,
  'maintenance-window': (id) => `/maintenance/${id}`,
}
const kindNames: { [K in Found['kind']]?: string } = {
  check: 'Check',
  group: 'Group',
  'alert-channel': 'Alert channel',
  incident: 'Incident',
  'status-page': 'Status page',
  dashboard: 'Dashboard',
  'maintenance-window': 'Maintenance window',
}
const limit = 20

export function SearchDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [, navigate] = useLocation()
  const query = useDeferredValue(text.trim())
  const listId = useId()
  const {
    data = [],
    error,
    refetch,
  } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) => call('GET /v1/search', { query: { query, limit } }, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const found = query === '' ? [] : data.filter(({ kind }) => addressOf[kind] !== undefined)
  const index = Math.min(chosen, found.length - 1)
  const open = (one: Found | undefined) => {
    const address = one && addressOf[one.kind]?.(String(one.id))
    if (address === undefined) return
    onClose()
    navigate(address)
  }
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(Math.max(0, Math.min(found.length - 1, index + step)))
    }
    if (event.key === 'Enter') open(found[index])
  }
  return (
    <Overlay title="Search" isOpen onClose={onClose}>
      <input
        className="search-input"
        type="search"
        role="combobox"
        aria-label="Search checks and groups"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={index >= 0 ? `${listId}-${index}` : undefined}
        placeholder="Name, tag or address of a check"
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value)
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
            onClick={() => open(one)}
          >
            <span className="cut">{one.name}</span>
            <small className="hint">{one.detail ?? kindNames[one.kind]}</small>
          </div>
        ))}
      </div>
      {query !== '' && found.length === 0 && !error && <p className="hint">Nothing is called “{query}”.</p>}
    </Overlay>
  )
}

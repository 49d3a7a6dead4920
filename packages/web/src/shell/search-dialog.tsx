// The palette: finds checks and other things by name, and runs actions.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { call, type ResponseTo } from '../api/call.ts'
import { matchesWords } from '../core/match-words.ts'
import { Overlay } from '../parts/dialog.tsx'
import { Failure } from '../parts/states.tsx'
import { type PaletteAction, usePaletteActions } from './palette-actions.ts'

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
/** Actions beside what was found. */
const mostActions = 6

export function SearchDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const query = useDeferredValue(text.trim())
  const listId = useId()
  const { entries, isLoading, error, refetch } = useEntries(query)
  const isOutdated = isLoading || query !== text.trim()
  const [isOpenWanted, setOpenWanted] = useState(false)
  const index = Math.min(chosen, entries.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [index])
  const open = (entry: PaletteAction | undefined) => {
    if (entry === undefined) return
    onClose()
    entry.run()
  }
  // Enter right after typing opens what was typed, not what is still listed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as soon as the list fits the text
  useEffect(() => {
    if (!isOpenWanted || isOutdated) return
    setOpenWanted(false)
    open(entries[index])
  }, [isOpenWanted, isOutdated])
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(Math.max(0, Math.min(entries.length - 1, index + step)))
    }
    if (event.key === 'Enter') setOpenWanted(true)
  }
  return (
    <Overlay title="Search" isOpen onClose={onClose}>
      <input
        className="search-input"
        type="search"
        role="combobox"
        aria-label="Search checks, groups and actions"
        aria-expanded={entries.length > 0}
        aria-controls={listId}
        aria-activedescendant={index >= 0 ? `${listId}-${index}` : undefined}
        placeholder="Name, tag or address of a check, or an action"
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
          setOpenWanted(false)
        }}
        onKeyDown={handleKey}
      />
      {error && <Failure what="The search results" error={error} onRetry={refetch} />}
      <div ref={list} id={listId} role="listbox" aria-label="Results" className="search-results">
        {entries.map((entry, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={entry.id}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === index}
            onClick={() => open(entry)}
          >
            <span className="cut">{entry.label}</span>
            <small className="hint">{entry.hint}</small>
          </div>
        ))}
      </div>
      {query !== '' && entries.length === 0 && !error && (
        <p className="hint">Nothing is called “{query}”, and no action either.</p>
      )}
    </Overlay>
  )
}

/** Without a query what was opened last, and all actions; otherwise what matches. */
function useEntries(query: string): {
  entries: PaletteAction[]
  /** Whether the entries are those of an earlier query. */
  isLoading: boolean
  error: Error | null
  refetch(): void
} {
  const [, navigate] = useLocation()
  const { recent, actions } = usePaletteActions()
  const {
    data = [],
    error,
    isPending,
    isPlaceholderData,
    refetch,
  } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) => call('GET /v1/search', { query: { query, limit } }, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  if (query === '') return { entries: [...recent, ...actions], isLoading: false, error: null, refetch }
  const found = data.flatMap(({ kind, id, name, detail }) => {
    const address = addressOf[kind]?.(String(id))
    if (address === undefined) return []
    const hint = detail ?? kindNames[kind] ?? ''
    return [{ id: `${kind} ${id}`, label: name, hint, run: () => navigate(address) }]
  })
  const matching = actions.filter(({ label }) => matchesWords(label, query)).slice(0, mostActions)
  return { entries: [...found, ...matching], isLoading: isPending || isPlaceholderData, error, refetch }
}

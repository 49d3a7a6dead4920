// A list of settings: search in the address, an empty state with one next step, rows of two lines.
import { type ReactNode, useState } from 'react'
import { formatNumberOf } from '../../core/format.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'

export interface Row {
  name: ReactNode
  detail: ReactNode
  actions?: ReactNode
}

interface ListProps<T> {
  /** `The variables`. */
  what: string
  data: readonly T[] | undefined
  error: Error | null
  onRetry(): void
  keyOf(item: T): string | number
  /** Where the search looks. */
  textOf(item: T): string
  rowOf(item: T): Row
  /** While there is nothing: what this is for. */
  empty: { title: string; text: ReactNode; action?: ReactNode }
  /** Beside the search. */
  tools?: ReactNode
}

interface ListScreenProps<T> extends ListProps<T> {
  title: string
  intro: ReactNode
  /** Beside the heading. */
  actions?: ReactNode
  children?: ReactNode
}

export function ListScreen<T>({ title, intro, actions, children, ...list }: ListScreenProps<T>) {
  return (
    <ScreenFrame title={title} actions={actions}>
      <p className="muted-text">{intro}</p>
      <SettingList {...list} />
      {children}
    </ScreenFrame>
  )
}

/** Fewer are read quicker than searched. */
const minSearched = 6
const stepSize = 100

export function SettingList<T>(props: ListProps<T>) {
  const { what, data, error, onRetry, keyOf, textOf, rowOf, empty, tools } = props
  const [search, setSearch] = useSearchParameters()
  const [limit, setLimit] = useState(stepSize)
  const query = search.get('query') ?? ''
  if (data === undefined)
    return error ? <Failure what={what} error={error} onRetry={onRetry} /> : <FirstLoad />
  if (data.length === 0)
    return (
      <>
        {tools}
        <Empty title={empty.title}>
          <p className="muted-text">{empty.text}</p>
          {empty.action}
        </Empty>
      </>
    )
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = data.filter((item) => words.every((word) => textOf(item).toLowerCase().includes(word)))
  const change = (text: string) => {
    const next = new URLSearchParams(search)
    if (text === '') next.delete('query')
    else next.set('query', text)
    setSearch(next)
  }
  return (
    <div className="stack">
      {error && <Failure what={what} error={error} onRetry={onRetry} />}
      {(data.length >= minSearched || query !== '' || tools) && (
        <div className="list-tools">
          {(data.length >= minSearched || query !== '') && (
            <input
              type="search"
              className="search-input"
              aria-label={`Search ${what.toLowerCase()}`}
              placeholder="Search"
              value={query}
              onChange={({ target }) => change(target.value)}
            />
          )}
          {tools}
          <span className="muted-text" role="status">
            {query !== '' && `${formatNumberOf(found.length, 'match', 'matches')}`}
          </span>
        </div>
      )}
      {found.length === 0 ? (
        <Empty title="Nothing matches">
          <ActionButton onPress={() => change('')}>Clear the search</ActionButton>
        </Empty>
      ) : (
        <ul className="setting-list">
          {found.slice(0, limit).map((item) => {
            const { name, detail, actions } = rowOf(item)
            return (
              <li key={keyOf(item)} className="setting-row">
                <div className="setting-row-text">
                  <p className="setting-row-name">{name}</p>
                  <div className="muted-text">{detail}</div>
                </div>
                {actions && <div className="actions">{actions}</div>}
              </li>
            )
          })}
        </ul>
      )}
      {found.length > limit && (
        <ActionButton onPress={() => setLimit(limit + stepSize)}>Show more</ActionButton>
      )}
    </div>
  )
}

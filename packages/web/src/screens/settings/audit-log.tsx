// Who changed what, when, before and after; also sign-ins and refusals. Filters are in the address.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { type AuditEntry, actionInWords, addressOf, auditKinds, diffLines } from '../../core/audit-words.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { type AuditFilters, readAuditFilters, toAuditQuery } from './audit-filters.ts'
import { NeedsRole } from './needs-role.tsx'

const limit = 50

export function Screen() {
  const { denialOf } = useSession()
  const [search, setSearch] = useSearchParameters()
  const filters = readAuditFilters(search)
  const denial = filters.resource === '' ? denialOf('ADMIN') : null
  const change = (values: Partial<AuditFilters>) => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(values)) {
      if (value === '') next.delete(name)
      else next.set(name, value)
    }
    setSearch(next)
  }
  return (
    <ScreenFrame title={filters.resource === '' ? 'Audit log' : 'History'}>
      <p className="muted-text">
        {filters.resource === ''
          ? 'Every change, by whichever client, with the values before and after; also sign-ins, and what roles didn’t allow. It never contains a secret value.'
          : 'All changes of one resource, the latest first.'}
      </p>
      {filters.resource !== '' && (
        <div className="actions">
          <ActionButton onPress={() => change({ resource: '' })}>Show the whole log</ActionButton>
        </div>
      )}
      {denial !== null ? (
        <NeedsRole what="The entries" denial={denial} />
      ) : (
        <>
          <FilterBar filters={filters} onChange={change} />
          <Entries filters={filters} onClear={() => setSearch(new URLSearchParams())} />
        </>
      )}
    </ScreenFrame>
  )
}

const actions: [value: string, label: string][] = [
  ['create', 'Created'],
  ['update', 'Changed'],
  ['delete', 'Deleted'],
  ['other', 'Other'],
]
const outcomes: [value: string, label: string][] = [
  ['done', 'Done'],
  ['refused', 'Refused'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
]

interface FilterBarProps {
  filters: AuditFilters
  onChange(values: Partial<AuditFilters>): void
}

function FilterBar({ filters, onChange }: FilterBarProps) {
  const { denialOf } = useSession()
  const isAdmin = denialOf('ADMIN') === null
  const members = useQuery({
    queryKey: ['members'],
    queryFn: async ({ signal }) => (await call('GET /v1/accounts/me/members', {}, signal)).members,
  })
  const keys = useQuery({
    queryKey: ['service-api-keys'],
    queryFn: ({ signal }) => call('GET /v1/service-api-keys', {}, signal),
    enabled: isAdmin,
  })
  const people: [string, string][] = [
    ...(members.data?.flatMap((member): [string, string][] =>
      member.type === 'member' ? [[member.userId, member.name ?? member.email]] : [],
    ) ?? []),
    ...(keys.data?.map(({ id, name }): [string, string] => [id, `${name} (key)`]) ?? []),
  ]
  const isOther = filters.person !== '' && !people.some(([id]) => id === filters.person)
  return (
    <div className="audit-filters">
      <Filter
        label="Person or key"
        value={filters.person}
        options={isOther ? [...people, [filters.person, 'Someone who left']] : people}
        onChange={(person) => onChange({ person })}
      />
      {filters.resource === '' && (
        <Filter
          label="Kind"
          value={filters.kind}
          options={Object.keys(auditKinds).map((kind) => [kind, kind])}
          onChange={(kind) => onChange({ kind })}
        />
      )}
      <Filter
        label="Action"
        value={filters.action}
        options={actions}
        onChange={(action) => onChange({ action })}
      />
      <Filter
        label="Outcome"
        value={filters.outcome}
        options={outcomes}
        onChange={(outcome) => onChange({ outcome })}
      />
      <DateFilter label="From" value={filters.from} onChange={(from) => onChange({ from })} />
      <DateFilter label="To" value={filters.to} onChange={(to) => onChange({ to })} />
    </div>
  )
}

interface FilterProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange(value: string): void
}

function Filter({ label, value, options, onChange }: FilterProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">All</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function DateFilter({ label, value, onChange }: Omit<FilterProps, 'options'>) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} type="date" value={value} onChange={({ target }) => onChange(target.value)} />
    </div>
  )
}

function Entries({ filters, onClear }: { filters: AuditFilters; onClear(): void }) {
  const log = useInfiniteQuery({
    queryKey: ['audit-log', filters],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/audit-log',
        { query: { ...toAuditQuery(filters), limit, ...(pageParam === '' ? {} : { nextId: pageParam }) } },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    staleTime: 0,
  })
  const { data, error, refetch } = log
  if (data === undefined)
    return error ? <Failure what="The audit log" error={error} onRetry={refetch} /> : <FirstLoad />
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0)
    return (
      <Empty title="Nothing matches">
        <p className="muted-text">Changes appear here as soon as someone makes one.</p>
        <ActionButton onPress={onClear}>Clear filters</ActionButton>
      </Empty>
    )
  return (
    <div className="stack">
      <ol className="setting-list audit-list">
        {entries.map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {log.hasNextPage && (
        <ActionButton onPress={() => log.fetchNextPage()} isPending={log.isFetchingNextPage}>
          Older entries
        </ActionButton>
      )}
    </div>
  )
}

const outcomeMarks: Record<AuditEntry['outcome'], string | null> = {
  done: null,
  refused: 'Refused',
  failed: 'Failed',
  unknown: 'Outcome unknown',
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { actor, resource, changes } = entry
  const mark = outcomeMarks[entry.outcome]
  const address = addressOf(entry)
  return (
    <details className="audit-entry">
      <summary>
        <Icon name="right" />
        <span className="audit-words">
          <strong>{actor.name ?? 'Someone'}</strong>
          {actor.kind === 'service-key' && ' (key)'} {actionInWords(entry)} {resource.name ?? ''}{' '}
          {mark !== null && <span className="tag">{mark}</span>}
        </span>
        <span className="muted-text">
          <Moment at={entry.created_at} />
        </span>
      </summary>
      <div className="audit-detail">
        {changes.length > 0 && (
          <dl className="diff">
            {changes.map(({ field, before, after }) => (
              <div key={field}>
                <dt className="muted-text">{field}</dt>
                <dd>
                  <Difference before={before} after={after} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        <p className="muted-text">
          {entry.summary} · <code>{entry.operation}</code> · by {entry.source}
          {entry.address !== null && ` from ${entry.address}`} · request <code>{entry.requestId}</code>
        </p>
        <div className="actions">
          {address !== null && <Link href={address}>Open</Link>}
          {resource.id !== null && (
            <Link href={`/settings/audit-log?resource=${encodeURIComponent(resource.id)}`}>History</Link>
          )}
        </div>
      </div>
    </details>
  )
}

function Difference({ before, after }: { before: unknown; after: unknown }) {
  const lines = diffLines(before, after)
  return lines.map(({ kind, text }, index) => {
    const key = `${index} ${kind}`
    if (kind === 'removed') return <del key={key}>− {text}</del>
    if (kind === 'added') return <ins key={key}>+ {text}</ins>
    return <div key={key}> {text}</div>
  })
}

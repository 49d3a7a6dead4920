// Creates a check: first its type, then its form.
import './edit-check.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CheckType } from '@vedette/contracts'
import { useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { typeLabels } from '../../core/states.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { type CheckFields, isCheckType, typeFormOf } from '../../forms/schemas/check.ts'
import { valueAt, withValue } from '../../forms/values.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { CheckForm } from './check-form.tsx'
import { useWholeCheck } from './edit-check.tsx'
import { listAt } from './parts.ts'
import { createCheck } from './save-check.ts'
import { templatesOf, typeGroups, typeSentences } from './type-words.ts'

export function Screen() {
  const [search] = useSearchParameters()
  const type = search.get('type')
  const from = search.get('from')
  if (from !== null) return <Duplicate key={from} id={from} />
  if (isCheckType(type)) return <NewOfType key={type} type={type} search={search} />
  return <ChooseType group={search.get('group')} />
}

function ChooseType({ group }: { group: string | null }) {
  const suffix = group === null ? '' : `&group=${encodeURIComponent(group)}`
  return (
    <ScreenFrame title="New check" trail={<Link href="/checks">Checks</Link>}>
      <div className="type-groups">
        {typeGroups.map(({ title, types }) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul className="type-list">
              {types.map((type) => (
                <li key={type}>
                  <Link href={`/checks/new?type=${type}${suffix}`} className="type-choice">
                    <strong>{typeLabels[type]}</strong>
                    <span className="muted-text">{typeSentences[type]}</span>
                  </Link>
                  {templatesOf(type).length > 1 && (
                    <p className="type-templates">
                      {templatesOf(type).map(({ id, title: name, sentence }) => (
                        <Link
                          key={id}
                          href={`/checks/new?type=${type}&template=${id}${suffix}`}
                          title={sentence}
                        >
                          {name}
                        </Link>
                      ))}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </ScreenFrame>
  )
}

const usualLocation = 'eu-central-1'

function NewOfType({ type, search }: { type: CheckType; search: URLSearchParams }) {
  // The form begins with a location that exists.
  const { data, error, refetch } = useQuery({
    queryKey: ['locations'],
    queryFn: ({ signal }) => call('GET /v1/locations', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const title = `New ${typeFormOf(type).title.replace(/^an? /, '')}`
  if (data === undefined)
    return (
      <ScreenFrame title={title}>
        {error ? <Failure what="The locations" error={error} onRetry={refetch} /> : <FirstLoad />}
      </ScreenFrame>
    )
  const location = data.find(({ region }) => region === usualLocation) ?? data[0]
  const template = templatesOf(type).find(({ id }) => id === search.get('template')) ?? templatesOf(type)[0]
  const group = Number(search.get('group') ?? 0)
  const values: CheckFields = {
    ...typeFormOf(type).newValues(),
    ...(type === 'HEARTBEAT' || location === undefined ? {} : { locations: [location.region] }),
    ...(template === undefined || template.script === '' ? {} : { script: template.script }),
    ...(group > 0 ? { groupId: group } : {}),
  }
  return (
    <NewForm
      title={title}
      type={type}
      values={values}
      draftKey={['check/new', type, search.get('group') ?? '', search.get('template') ?? ''].join('/')}
    />
  )
}

/** A copy, without what only one check can have. */
function Duplicate({ id }: { id: string }) {
  const { data, error, refetch } = useWholeCheck(id)
  if (isNotFound(error)) return <NotFound what="This check" />
  if (data === undefined)
    return (
      <ScreenFrame title="Duplicate">
        {error ? <Failure what="The check" error={error} onRetry={refetch} /> : <FirstLoad />}
      </ScreenFrame>
    )
  const values = copyOf(data)
  const hasSecrets = listAt(values.environmentVariables).some((one) => Object(one).secret === true)
  return (
    <NewForm
      title={`Duplicate ${data.name}`}
      type={data.checkType}
      values={values}
      draftKey={`check/copy/${id}`}
      note={hasSecrets ? 'The values of secrets aren’t copied: enter them again.' : null}
    />
  )
}

function copyOf(check: Check): CheckFields {
  const values = { ...typeFormOf(check.checkType).valuesOf({ ...check }), name: `Copy of ${check.name}` }
  return valueAt(values, 'heartbeat.pingToken') === undefined
    ? values
    : withValue(values, 'heartbeat.pingToken', null)
}

interface NewFormProps {
  title: string
  type: CheckType
  values: CheckFields
  draftKey: string
  note?: string | null
}

function NewForm({ title, type, values, draftKey, note = null }: NewFormProps) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const form = typeFormOf(type)
  const created = useRef('')
  const [saved] = useState(values)
  return (
    <ScreenFrame
      title={title}
      trail={
        <>
          <Link href="/checks">Checks</Link> / <Link href="/checks/new">New check</Link>
        </>
      }
    >
      <p className="muted-text">{note ?? typeSentences[type]}</p>
      <CheckForm
        type={form}
        pingUrl={null}
        saveLabel="Create"
        draftKey={draftKey}
        saved={saved}
        save={async (next) => {
          const { id } = await createCheck(form, next)
          created.current = id
        }}
        onSaved={() => {
          void queries.invalidateQueries()
          navigate(`/checks/${created.current}`)
          showOutcome('The check is created. Its first run follows its schedule.')
        }}
      />
    </ScreenFrame>
  )
}

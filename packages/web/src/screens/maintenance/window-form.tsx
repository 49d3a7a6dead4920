// The form of a maintenance window, beside it when it is open and which checks it affects.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useServices, useStatusPages } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { useDebounced } from '../../core/use-debounced.ts'
import { allTimezones, fromLocalInput, ownTimezone, toLocalInput } from '../../core/zoned-time.ts'
import {
  Choice,
  type FieldBasics,
  fieldId,
  ManyOf,
  NumberInput,
  optionsOf,
  TextArea,
  TextInput,
  Toggle,
  WordList,
} from '../../forms/fields.tsx'
import { FormFrame, readable } from '../../forms/form-frame.tsx'
import { maintenanceWindowBody, maintenanceWindowProblems } from '../../forms/schemas/maintenance-window.ts'
import { Section } from '../../forms/section.tsx'
import type { Form } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { Period } from './period.tsx'
import type { Window } from './use-windows.ts'
import { effectsInWords, repeatsInWords } from './window-words.ts'

export type WindowValues = Omit<Window, 'id' | 'created_at' | 'updated_at'>

interface WindowFormProps {
  form: Form<WindowValues>
  isNew: boolean
  onSaved(): void
}

const unitOptions = [
  { value: 'DAY', label: 'days' },
  { value: 'WEEK', label: 'weeks' },
  { value: 'MONTH', label: 'months' },
] as const

const labels: Record<string, string> = {
  tags: 'Tags of the checks to pause',
  silenceAlertsTags: 'Tags of the checks to silence',
  startsAt: 'Begins',
  endsAt: 'Ends',
  repeatInterval: 'Every',
  repeatUnit: 'Unit',
  repeatEndsAt: 'Until',
  timezone: 'Time zone',
  pauseAllChecks: 'Pause all checks',
  silenceAllAlerts: 'Silence all alerts',
  'statusPageVisibility.statusPageIds': 'Status pages',
  'statusPageVisibility.serviceIds': 'Services',
}

export function WindowForm({ form, isNew, onSaved }: WindowFormProps) {
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  const isDisabled = denial !== null
  const { values } = form
  const zone = values.timezone ?? 'UTC'
  const field = (path: string) => ({ form, path, isDisabled, label: labels[path] ?? readable(path) })
  const repeats = values.repeatInterval !== null
  return (
    <div className="with-side">
      <FormFrame
        form={form}
        saveLabel={isNew ? 'Plan maintenance' : 'Save'}
        isNew={isNew}
        denial={denial}
        labelOf={(path) => labels[path] ?? readable(path)}
        onSaved={onSaved}
      >
        <section className="panel form-panel" aria-label="When">
          <TextInput {...field('name')} label="Name" placeholder="Database upgrade" />
          <div className="field-row">
            <InstantInput {...field('startsAt')} timezone={zone} />
            <InstantInput {...field('endsAt')} timezone={zone} />
            <TimezoneChoice form={form} isDisabled={isDisabled} />
          </div>
          <div className="field toggle">
            <label className="check-box">
              <input
                type="checkbox"
                checked={repeats}
                disabled={isDisabled}
                onChange={({ target }) =>
                  form.change((before) => ({
                    ...before,
                    repeatInterval: target.checked ? 1 : null,
                    repeatUnit: target.checked ? (before.repeatUnit ?? 'WEEK') : null,
                    repeatEndsAt: target.checked ? before.repeatEndsAt : null,
                  }))
                }
              />
              Repeats
            </label>
          </div>
          {repeats && (
            <div className="field-row">
              <NumberInput {...field('repeatInterval')} min={1} max={365} />
              <Choice {...field('repeatUnit')} options={unitOptions} />
              <InstantInput
                {...field('repeatEndsAt')}
                timezone={zone}
                isOptional
                description="No repeat begins from then on. Empty: for good."
              />
            </div>
          )}
        </section>
        <Section title="What it does" summary={effectsInWords(values)} isOpen>
          <Toggle {...field('pauseAllChecks')} description="They don’t run, except on demand." />
          {!values.pauseAllChecks && (
            <WordList
              {...field('tags')}
              label="Pause checks with one of these tags"
              description="On the check or on its group. Enter adds one."
              placeholder="web"
            />
          )}
          <Toggle
            {...field('silenceAllAlerts')}
            description="Alerts in this time are never sent, also not later."
          />
          {!values.silenceAllAlerts && (
            <WordList
              {...field('silenceAlertsTags')}
              label="Silence alerts of checks with one of these tags"
              placeholder="web"
            />
          )}
        </Section>
        <PublicSection form={form} isDisabled={isDisabled} />
      </FormFrame>
      <WindowPreview values={values} />
    </div>
  )
}

interface InstantInputProps extends FieldBasics {
  timezone: string
  isOptional?: boolean
}

/** An instant, entered as wall-clock time of the window's zone. */
function InstantInput({
  form,
  path,
  label,
  description,
  isDisabled = false,
  timezone,
  isOptional = false,
}: InstantInputProps) {
  const id = fieldId(path)
  const value = valueAt(form.values, path)
  const error = form.errorAt(path)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        value={toLocalInput(typeof value === 'string' ? value : null, timezone)}
        onChange={({ target }) =>
          form.set(path, fromLocalInput(target.value, timezone) ?? (isOptional ? null : ''))
        }
        onBlur={() => form.leave(path)}
        disabled={isDisabled}
        aria-invalid={error !== null}
        aria-describedby={error === null ? undefined : `${id}-error`}
      />
      {description && <p className="hint">{description}</p>}
      {error !== null && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  )
}

/** Another zone keeps the wall-clock times: 02:00 stays 02:00. */
function TimezoneChoice({ form, isDisabled }: { form: Form<WindowValues>; isDisabled: boolean }) {
  const zone = form.values.timezone ?? 'UTC'
  const own = ownTimezone()
  const zones = [...new Set(['UTC', own, zone, ...allTimezones()])]
  return (
    <div className="field">
      <label htmlFor={fieldId('timezone')}>Time zone</label>
      <select
        id={fieldId('timezone')}
        value={zone}
        disabled={isDisabled}
        onChange={({ target }) => {
          const moved = (instant: string) =>
            fromLocalInput(toLocalInput(instant, zone), target.value) ?? instant
          form.change((before) => ({
            ...before,
            timezone: target.value,
            startsAt: moved(before.startsAt),
            endsAt: moved(before.endsAt),
            repeatEndsAt: before.repeatEndsAt && moved(before.repeatEndsAt),
          }))
        }}
      >
        {zones.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <p className="hint">Repeats keep their time of day in it.</p>
    </div>
  )
}

const severities = [
  { value: null, label: 'Not stated' },
  { value: 'MINOR', label: 'Minor' },
  { value: 'MEDIUM', label: 'Medium' },
  { value: 'MAJOR', label: 'Major' },
  { value: 'CRITICAL', label: 'Critical' },
] as const

const hidden: NonNullable<WindowValues['statusPageVisibility']> = {
  ...{ enabled: false, severity: null, affectAllServices: true, suppressAutoIncidents: true },
  ...{ notifyOnStart: false, notifyOnEnd: false, reminderMinutesBefore: [], autoStart: true, autoEnd: true },
  ...{ showAffectedServices: true, statusPageIds: [], serviceIds: [] },
}

function PublicSection({ form, isDisabled }: { form: Form<WindowValues>; isDisabled: boolean }) {
  const visibility = form.values.statusPageVisibility
  const isPublic = visibility?.enabled ?? false
  const pages = useStatusPages()
  const services = useServices({ isNeeded: isPublic })
  const field = (name: string) => ({ form, path: `statusPageVisibility.${name}`, isDisabled })
  const pageOptions = optionsOf(pages.data)
  const serviceOptions = optionsOf(services.data)
  return (
    <Section
      title="On status pages"
      summary={
        isPublic ? `Shown on ${formatNumberOf(visibility?.statusPageIds.length ?? 0, 'page')}` : 'Not shown'
      }
      hasError={form.hasErrorBelow('statusPageVisibility')}
    >
      {pages.data !== undefined && pageOptions.length === 0 ? (
        <p className="muted-text">This account has no status page.</p>
      ) : (
        <div className="field toggle">
          <label className="check-box">
            <input
              id={fieldId('statusPageVisibility')}
              type="checkbox"
              checked={isPublic}
              disabled={isDisabled}
              onChange={({ target }) =>
                form.set('statusPageVisibility', {
                  ...(visibility ?? hidden),
                  enabled: target.checked,
                })
              }
            />
            Show it on status pages
          </label>
        </div>
      )}
      {isPublic && (
        <>
          <TextArea
            form={form}
            path="description"
            label="Description"
            description="Shown on the pages."
            emptyAs={null}
            rows={3}
            isDisabled={isDisabled}
          />
          <ManyOf {...field('statusPageIds')} label="Status pages" options={pageOptions} />
          <Toggle {...field('affectAllServices')} label="Affects all services of these pages" />
          {visibility?.affectAllServices === false && (
            <ManyOf {...field('serviceIds')} label="Services" options={serviceOptions} />
          )}
          <Choice {...field('severity')} label="Expected impact" options={severities} />
          <Toggle {...field('suppressAutoIncidents')} label="Failing checks open no incidents meanwhile" />
          <Toggle {...field('showAffectedServices')} label="Mark the affected services" />
          <Toggle {...field('notifyOnStart')} label="Email subscribers when it begins" />
          <Toggle {...field('notifyOnEnd')} label="Email subscribers when it ends" />
          <Toggle
            {...field('autoStart')}
            label="Announce the beginning by itself"
            description="Otherwise services keep their state, and no email is sent."
          />
          <Toggle {...field('autoEnd')} label="Announce the end by itself" />
        </>
      )}
    </Section>
  )
}

const typingMs = 400

function WindowPreview({ values }: { values: WindowValues }) {
  const settled = useDebounced(values, typingMs)
  const isComplete = maintenanceWindowProblems(settled).length === 0
  const { data, error, refetch } = useQuery({
    queryKey: ['maintenance-preview', settled],
    queryFn: ({ signal }) =>
      call('POST /v1/maintenance-windows/preview', { body: maintenanceWindowBody(settled) }, signal),
    enabled: isComplete,
    staleTime: 60_000,
  })
  return (
    <aside className="panel side" aria-label="Effect">
      <h2>Effect</h2>
      {!isComplete && (
        <p className="muted-text">Fill in the fields to see when it is open and what it affects.</p>
      )}
      {isComplete && error && data === undefined && (
        <Failure what="The effect" error={error} onRetry={refetch} />
      )}
      {isComplete && !error && data === undefined && <FirstLoad rows={3} />}
      {isComplete && data && (
        <>
          {data.isOpen && <StateLabel state="maintenance" label="Open now" />}
          <Affected what="Paused" affected={data.paused} />
          <Affected what="Silenced" affected={data.silenced} />
          {data.paused.total + data.silenced.total === 0 && (
            <p className="muted-text">It has no effect: no check is paused, and no alert is silenced.</p>
          )}
          <h3>Next times</h3>
          <p className="muted-text">{repeatsInWords(settled)}</p>
          {data.occurrences.length === 0 ? (
            <p className="muted-text">None: it is over.</p>
          ) : (
            <ol className="next-times">
              {data.occurrences.map(({ startsAt, endsAt }) => (
                <li key={startsAt}>
                  <Period startsAt={startsAt} endsAt={endsAt} />
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </aside>
  )
}

interface AffectedProps {
  what: string
  affected: { total: number; checks: readonly { id: string; name: string }[] }
}

const listedNames = 10

function Affected({ what, affected: { total, checks } }: AffectedProps) {
  if (total === 0) return null
  const shown = checks.slice(0, listedNames)
  return (
    <div>
      <h3>
        {what}: {formatNumberOf(total, 'check')}
      </h3>
      <ul className="short-list">
        {shown.map(({ id, name }) => (
          <li key={id}>
            <Link href={`/checks/${id}`}>{name}</Link>
          </li>
        ))}
        {total > shown.length && <li className="muted-text">and {total - shown.length} more</li>}
      </ul>
    </div>
  )
}

// The parts of the form that check types share. A part shows the fields that the type has.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useGroups, useSnippets } from '../../api/lists.ts'
import { useServices } from '../../api/pages.ts'
import { periodInWords } from '../../core/schedule-words.ts'
import {
  Choice,
  fieldId,
  ManyOf,
  NumberInput,
  optionsOf,
  Rows,
  TextArea,
  TextInput,
  Toggle,
  WordList,
} from '../../forms/fields.tsx'
import { type CheckFields, readAlertSettings } from '../../forms/schemas/check.ts'
import { valueAt } from '../../forms/values.ts'
import { OptionBoxes } from '../../parts/option-boxes.tsx'
import { AlertBacktest } from '../alerts/alert-backtest.tsx'
import { AlertSettingsFields } from '../alerts/alert-settings-fields.tsx'
import { channelLabel } from '../alerts/channel-kinds.ts'
import { useChannels } from '../alerts/use-channels.ts'
import { useLocations, usePrivateLocations, useRuntimes } from './choices.ts'
import { listAt, type PartProps } from './parts.ts'
import { ScriptField } from './script-field.tsx'

type FormProps = Pick<PartProps, 'form'>

export function Basics({ form, type }: PartProps) {
  const { data: groups } = useGroups()
  return (
    <>
      <TextInput form={form} path="name" label="Name" placeholder="Shop: checkout" />
      <div className="field-row">
        <WordList form={form} path="tags" label="Tags" placeholder="Add a tag" />
        <Choice
          form={form}
          path="groupId"
          label="Group"
          options={[{ value: null, label: 'None' }, ...optionsOf(groups)]}
          description={
            form.values.groupId === null
              ? undefined
              : 'What the group sets takes precedence over the settings here.'
          }
        />
      </div>
      <TextArea form={form} path="description" label="Description" rows={2} emptyAs={null} />
      <div className="field-row">
        <Toggle form={form} path="activated" label="Active" description="Runs on its schedule." />
        <Toggle form={form} path="muted" label="Muted" description="Runs, but notifies nobody." />
        {type.has('shouldFail') && (
          <Toggle
            form={form}
            path="shouldFail"
            label="Expected to fail"
            description="A failing run passes, and the other way around."
          />
        )}
      </div>
    </>
  )
}

export function Schedule({ form, type }: PartProps) {
  const { values } = form
  const hasSchedule = type.frequencies.length > 0
  return (
    <>
      {hasSchedule && (
        <div className="field-row">
          <FrequencyField form={form} type={type} />
          {values.frequency !== 0 && (
            <NumberInput
              form={form}
              path="frequencyOffset"
              label="Offset within the period"
              description={
                Number(values.frequency) > 60
                  ? 'In steps of an hour. Empty: spread by the server.'
                  : 'In steps of 6 seconds. Empty: spread by the server.'
              }
              min={1}
            />
          )}
        </div>
      )}
      <LocationFields form={form} hasPrivate={type.has('privateLocations')} />
      {type.has('runParallel') && hasSchedule && (
        <Choice
          form={form}
          path="runParallel"
          label="With several locations"
          options={[
            { value: false, label: 'One after the other: each run from the next location' },
            { value: true, label: 'At once: each run from all locations' },
          ]}
        />
      )}
      {type.type !== 'HEARTBEAT' && (
        <NumberInput
          form={form}
          path="unknownAfterMissedRuns"
          label="“Not running” after missed runs"
          description="Empty: the setting of the account."
          min={1}
        />
      )}
    </>
  )
}

/** Minutes, or seconds by the offset: one field for people. */
function FrequencyField({ form, type }: Pick<PartProps, 'form' | 'type'>) {
  const { frequency, frequencyOffset } = form.values
  const options = type.frequencies.flatMap((minutes): { frequency: number; offset: number | null }[] =>
    minutes === 0
      ? [10, 20, 30].map((seconds) => ({ frequency: 0, offset: seconds }))
      : [{ frequency: minutes, offset: null }],
  )
  const index = options.findIndex(
    (option) =>
      option.frequency === frequency && (option.offset === null || option.offset === frequencyOffset),
  )
  const error = form.errorAt('frequency') ?? (frequency === 0 ? form.errorAt('frequencyOffset') : null)
  return (
    <div className="field">
      <label htmlFor={fieldId('frequency')}>Frequency</label>
      <select
        id={fieldId('frequency')}
        value={index}
        aria-invalid={error !== null}
        onChange={({ target }) => {
          const option = options[Number(target.value)]
          if (option === undefined) return
          form.set('frequency', option.frequency)
          if (option.offset !== null || frequency === 0) form.set('frequencyOffset', option.offset)
        }}
      >
        {index === -1 && <option value={-1}>Choose…</option>}
        {options.map((option, at) => (
          <option key={`${option.frequency} ${option.offset}`} value={at}>
            {periodInWords(option.frequency, option.offset).replace(/^e/, 'E')}
          </option>
        ))}
      </select>
      {error !== null && <p className="field-error">{error}</p>}
    </div>
  )
}

export function LocationFields({ form, hasPrivate }: FormProps & { hasPrivate: boolean }) {
  const locations = useLocations()
  const privateLocations = usePrivateLocations()
  return (
    <>
      <ManyOf form={form} path="locations" label="Locations" options={locations} />
      {hasPrivate && privateLocations.length > 0 && (
        <ManyOf form={form} path="privateLocations" label="Private locations" options={privateLocations} />
      )}
    </>
  )
}

interface RetryChoice {
  id: string
  label: string
  fields: (before: CheckFields) => CheckFields
}

const strategies: readonly RetryChoice[] = [
  { id: 'none', label: 'No retries', fields: () => ({ retryStrategy: null, doubleCheck: false }) },
  {
    id: 'double',
    label: 'Once, from another location',
    fields: () => ({ retryStrategy: null, doubleCheck: true }),
  },
  ...(
    [
      ['SINGLE_RETRY', 'Once'],
      ['FIXED', 'Several times, with the same pause'],
      ['LINEAR', 'Several times, with pauses that grow evenly'],
      ['EXPONENTIAL', 'Several times, with pauses that double'],
    ] as const
  ).map(([id, label]) => ({
    id,
    label,
    fields: (before: CheckFields) => ({ retryStrategy: strategyOf(id, before) }),
  })),
]

function strategyOf(type: string, before: CheckFields): CheckFields {
  const { baseBackoffSeconds = 60, sameRegion = true, onlyOn } = before
  const shared = { type, baseBackoffSeconds, sameRegion, ...(onlyOn === undefined ? {} : { onlyOn }) }
  return type === 'SINGLE_RETRY' ? shared : { ...shared, maxRetries: 2, maxDurationSeconds: 600 }
}

interface RetriesProps extends FormProps {
  canRetryNetworkErrors: boolean
  /** Of groups: each check decides. */
  fallback?: boolean
}

export function Retries({ form, canRetryNetworkErrors, fallback = false }: RetriesProps) {
  const { retryStrategy, doubleCheck } = form.values
  const strategy: CheckFields | null =
    typeof retryStrategy === 'object' && retryStrategy !== null ? { ...retryStrategy } : null
  const choices = fallback
    ? [
        { id: 'FALLBACK', label: 'Each check decides', fields: () => ({ retryStrategy: 'FALLBACK' }) },
        ...strategies,
      ]
    : strategies
  const chosen =
    retryStrategy === 'FALLBACK'
      ? 'FALLBACK'
      : strategy !== null
        ? String(strategy.type)
        : doubleCheck === true
          ? 'double'
          : 'none'
  const isSeveral = strategy !== null && strategy.type !== 'SINGLE_RETRY'
  return (
    <>
      <div className="field">
        <label htmlFor={fieldId('retryStrategy')}>After a failed run, try again</label>
        <select
          id={fieldId('retryStrategy')}
          value={chosen}
          onChange={({ target }) => {
            const choice = choices.find(({ id }) => id === target.value)
            form.change((before) => ({ ...before, ...choice?.fields(strategy ?? {}) }))
          }}
        >
          {choices.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {strategy !== null && (
        <>
          <div className="field-row">
            <NumberInput
              form={form}
              path="retryStrategy.baseBackoffSeconds"
              label="Pause"
              unit="s"
              min={0}
              max={3600}
            />
            {isSeveral && (
              <>
                <NumberInput form={form} path="retryStrategy.maxRetries" label="Retries" min={1} max={10} />
                <NumberInput
                  form={form}
                  path="retryStrategy.maxDurationSeconds"
                  label="All retries within"
                  unit="s"
                  min={0}
                  max={600}
                />
              </>
            )}
          </div>
          <Toggle form={form} path="retryStrategy.sameRegion" label="From the same location" />
          {canRetryNetworkErrors && (
            <label className="check-box">
              <input
                type="checkbox"
                checked={listAt(strategy.onlyOn).length > 0}
                onChange={({ target }) => {
                  const { onlyOn: _, ...others } = strategy
                  form.set(
                    'retryStrategy',
                    target.checked ? { ...others, onlyOn: ['NETWORK_ERROR'] } : others,
                  )
                }}
              />
              Only after network errors, not after a response
            </label>
          )}
        </>
      )}
    </>
  )
}

export function Thresholds({ form, type }: PartProps) {
  const hint = 'Empty: none.'
  return (
    <>
      {type.has('maxResponseTime') && (
        <div className="field-row">
          <NumberInput
            form={form}
            path="degradedResponseTime"
            label="Degraded above"
            unit="ms"
            min={0}
            description={hint}
          />
          <NumberInput
            form={form}
            path="maxResponseTime"
            label="Failing above"
            unit="ms"
            min={0}
            description={hint}
          />
        </div>
      )}
      {type.has('maxPacketLossThreshold') && (
        <div className="field-row">
          <NumberInput
            form={form}
            path="degradedPacketLossThreshold"
            label="Degraded above a packet loss of"
            unit="%"
            step="any"
            min={0}
            max={100}
          />
          <NumberInput
            form={form}
            path="maxPacketLossThreshold"
            label="Failing above a packet loss of"
            unit="%"
            step="any"
            min={0}
            max={100}
          />
        </div>
      )}
    </>
  )
}

export function Channels({ form }: FormProps) {
  const { data: channels } = useChannels()
  const list = form.values.alertChannelSubscriptions
  const chosen = listAt(list)
    .map(Object)
    .filter(({ activated }) => activated === true)
    .map(({ alertChannelId }) => Number(alertChannelId))
  if (channels === undefined) return null
  if (channels.length === 0)
    return (
      <p className="muted-text">
        There is no alert channel yet, so nobody is notified.{' '}
        <Link href="/alerts/channels">Add a channel</Link>
      </p>
    )
  const setChosen = (ids: readonly number[]) =>
    form.set(
      'alertChannelSubscriptions',
      ids.map((alertChannelId) => ({ alertChannelId, activated: true })),
    )
  return (
    <fieldset className="field many" id={fieldId('alertChannelSubscriptions')} tabIndex={-1}>
      <legend>Notify</legend>
      <OptionBoxes
        label="Notify"
        options={channels.map((channel) => ({ value: channel.id, label: channelLabel(channel) }))}
        isChosen={(id) => list === undefined || chosen.includes(id)}
        onToggle={(id, isChosen) => {
          const before = list === undefined ? channels.map((channel) => channel.id) : chosen
          setChosen(isChosen ? [...before, id] : before.filter((one) => one !== id))
        }}
      />
    </fieldset>
  )
}

export function Alerting({ form, type, checkId }: PartProps) {
  const settings = readAlertSettings(form.values.alertSettings)
  const saved = readAlertSettings(form.base.alertSettings)
  return (
    <>
      <Channels form={form} />
      <Toggle
        form={form}
        path="useGlobalAlertSettings"
        label="Use the alert settings of the account"
        description="Those of its group come first."
      />
      {form.values.useGlobalAlertSettings === false && (
        <>
          <AlertSettingsFields form={form} path="alertSettings" />
          {checkId !== undefined && settings !== null && (
            <AlertBacktest settings={settings} saved={saved} target={{ checkId: [checkId] }} />
          )}
        </>
      )}
      {type.has('triggerIncident') && <IncidentFields form={form} />}
    </>
  )
}

function IncidentFields({ form }: FormProps) {
  const { data: services = [] } = useServices()
  const isUsed = form.values.triggerIncident !== null && form.values.triggerIncident !== undefined
  if (services.length === 0 && !isUsed) return null
  return (
    <>
      <label className="check-box">
        <input
          type="checkbox"
          checked={isUsed}
          onChange={({ target }) =>
            form.set(
              'triggerIncident',
              target.checked
                ? {
                    ...{ serviceId: services[0]?.id, severity: 'MAJOR', notifySubscribers: false },
                    ...{
                      name: `${String(form.values.name)} is failing`,
                      description: 'We are looking into it.',
                    },
                  }
                : null,
            )
          }
        />
        Open an incident on the status page
      </label>
      {isUsed && (
        <>
          <div className="field-row">
            <Choice
              form={form}
              path="triggerIncident.serviceId"
              label="Service"
              options={optionsOf(services)}
            />
            <Choice
              form={form}
              path="triggerIncident.severity"
              label="Severity"
              options={['MINOR', 'MEDIUM', 'MAJOR', 'CRITICAL'].map((value) => ({
                value,
                label: value.charAt(0) + value.slice(1).toLowerCase(),
              }))}
            />
          </div>
          <TextInput form={form} path="triggerIncident.name" label="Name of the incident" />
          <TextArea form={form} path="triggerIncident.description" label="First update" rows={2} />
          <Toggle form={form} path="triggerIncident.notifySubscribers" label="Notify subscribers" />
        </>
      )}
    </>
  )
}

export function Variables({ form }: FormProps) {
  return (
    <Rows
      form={form}
      path="environmentVariables"
      label="Variables and secrets"
      description="In requests {{NAME}}, in scripts process.env.NAME. Secrets are stored sealed and never shown again."
      addLabel="Add variable"
      newRow={() => ({ key: '', value: '', locked: false, secret: false })}
      max={100}
    >
      {(row) => {
        const isSecret = valueAt(form.values, `${row}.secret`) === true
        const isKept = isSecret && valueAt(form.values, `${row}.value`) === null
        return (
          <>
            <TextInput form={form} path={`${row}.key`} label="Name" isMono />
            <TextInput
              form={form}
              path={`${row}.value`}
              label="Value"
              type={isSecret ? 'password' : 'text'}
              placeholder={isKept ? 'Stored: enter another value to replace it' : ''}
              autoComplete="new-password"
              isMono
            />
            <Toggle form={form} path={`${row}.secret`} label="Secret" />
          </>
        )
      }}
    </Rows>
  )
}

export function Scripts({ form }: FormProps) {
  const { data: snippets = [] } = useSnippets()
  const options = [{ value: null, label: 'None' }, ...optionsOf(snippets)]
  return (
    <>
      {snippets.length > 0 && (
        <div className="field-row">
          <Choice form={form} path="setupSnippetId" label="Setup snippet" options={options} />
          <Choice form={form} path="tearDownSnippetId" label="Teardown snippet" options={options} />
        </div>
      )}
      <ScriptField
        form={form}
        path="localSetupScript"
        label="Setup script, before the request"
        kind="setup"
        emptyAs={null}
      />
      <ScriptField
        form={form}
        path="localTearDownScript"
        label="Teardown script, after the response"
        kind="setup"
        emptyAs={null}
      />
    </>
  )
}

export function RuntimeField({ form }: FormProps) {
  const runtimes = useRuntimes()
  const { data: account } = useQuery({
    queryKey: ['account', 'me'],
    queryFn: ({ signal }) => call('GET /v1/accounts/me', {}, signal),
  })
  const own = account === undefined ? '' : ` (${account.runtimeId})`
  return (
    <Choice
      form={form}
      path="runtimeId"
      label="Runtime"
      options={[
        { value: null, label: `That of its group or of the account${own}` },
        ...runtimes.map(({ name, nodeJsVersion, stage }) => ({
          value: name,
          label: `${name}, Node.js ${nodeJsVersion}${stage === undefined ? '' : `, ${stage.toLowerCase()}`}`,
        })),
      ]}
    />
  )
}

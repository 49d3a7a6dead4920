// The form of a check group: what it sets for its checks.
import '../edit-check/edit-check.css'
import { useSession } from '../../api/session.tsx'
import { formatList, formatNumberOf } from '../../core/format.ts'
import { Choice, fieldId, NumberInput, TextInput, Toggle, WordList } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import type { CheckFields } from '../../forms/schemas/check.ts'
import { groupAssertions, groupProblems } from '../../forms/schemas/group.ts'
import { Section } from '../../forms/section.tsx'
import { type FormOptions, useForm } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { AlertSettingsFields } from '../alerts/alert-settings-fields.tsx'
import { AssertionEditor } from '../edit-check/assertion-editor.tsx'
import { labelOf, secretPathsOf } from '../edit-check/check-form.tsx'
import { useLocations } from '../edit-check/choices.ts'
import { listAt } from '../edit-check/parts.ts'
import { BasicAuth, KeyValues } from '../edit-check/requests.tsx'
import {
  Channels,
  LocationFields,
  Retries,
  RuntimeField,
  Scripts,
  Variables,
} from '../edit-check/sections.tsx'
import {
  alertingInWords,
  basicsInWords,
  retriesInWords,
  scriptsInWords,
  variablesInWords,
} from '../edit-check/summaries.ts'

interface GroupFormProps extends Omit<FormOptions<CheckFields>, 'key' | 'problemsOf' | 'secretPaths'> {
  draftKey: string
  isNew?: boolean
  onSaved: () => void
}

const decides = 'Each check decides'

export function GroupForm({ draftKey, isNew = false, onSaved, ...options }: GroupFormProps) {
  const { denialOf } = useSession()
  const form = useForm<CheckFields>({
    ...options,
    key: draftKey,
    problemsOf: (values) => groupProblems(values, !isNew),
    secretPaths: secretPathsOf,
  })
  const { values } = form
  const nameOf = new Map(useLocations().map(({ value, label }) => [value, label]))
  const locations = [...listAt(values.locations), ...listAt(values.privateLocations)].map(String)
  const hasErrorIn = (...paths: string[]) => paths.some((path) => form.hasErrorBelow(path))
  return (
    <FormFrame
      form={form}
      saveLabel={isNew ? 'Create' : 'Save'}
      denial={denialOf('READ_WRITE')}
      isNew={isNew}
      labelOf={labelOf}
      onSaved={onSaved}
    >
      <Section
        title="Basics"
        summary={basicsInWords(values)}
        isOpen
        hasError={hasErrorIn('name', 'tags', 'concurrency')}
      >
        <TextInput form={form} path="name" label="Name" placeholder="Shop" />
        <WordList
          form={form}
          path="tags"
          label="Tags"
          placeholder="Add a tag"
          description="Its checks have them too."
        />
        <div className="field-row">
          <Toggle
            form={form}
            path="activated"
            label="Active"
            description="Otherwise none of its checks runs."
          />
          <Toggle form={form} path="muted" label="Muted" description="Its checks notify nobody." />
          <NumberInput
            form={form}
            path="concurrency"
            label="Checks at once"
            description="When the group is run as a whole."
            min={1}
            max={1000}
          />
        </div>
      </Section>
      <Section
        title="Locations"
        summary={locations.length === 0 ? decides : formatList(locations.map((id) => nameOf.get(id) ?? id))}
        hasError={hasErrorIn('locations', 'privateLocations', 'runParallel')}
      >
        <p className="hint">Without any, each check runs from its own.</p>
        <LocationFields form={form} hasPrivate />
        <Choice
          form={form}
          path="runParallel"
          label="With several locations"
          options={[
            { value: null, label: decides },
            { value: false, label: 'One after the other: each run from the next location' },
            { value: true, label: 'At once: each run from all locations' },
          ]}
        />
      </Section>
      <Section
        title="Retries"
        summary={values.retryStrategy === 'FALLBACK' ? decides : retriesInWords(values)}
        hasError={hasErrorIn('retryStrategy')}
      >
        <Retries form={form} canRetryNetworkErrors fallback />
      </Section>
      <Section
        title="Alerting"
        summary={values.useGlobalAlertSettings === null ? decides : alertingInWords(values)}
        hasError={hasErrorIn('alertSettings', 'alertChannelSubscriptions')}
      >
        <AlertChoice form={form} />
        <Channels form={form} />
      </Section>
      <Section
        title="Variables"
        summary={variablesInWords(values)}
        hasError={hasErrorIn('environmentVariables')}
      >
        <Variables form={form} />
      </Section>
      <Section
        title="API checks"
        summary={apiDefaultsInWords(values)}
        hasError={hasErrorIn('apiCheckDefaults')}
      >
        <TextInput
          form={form}
          path="apiCheckDefaults.url"
          label="Base URL"
          description="In requests {{GROUP_BASE_URL}}."
          isMono
        />
        <KeyValues form={form} path="apiCheckDefaults.headers" label="Headers" addLabel="Add header" />
        <KeyValues
          form={form}
          path="apiCheckDefaults.queryParameters"
          label="Query parameters"
          addLabel="Add query parameter"
        />
        <BasicAuth form={form} path="apiCheckDefaults.basicAuth" />
        <AssertionEditor form={form} path="apiCheckDefaults.assertions" options={groupAssertions} />
      </Section>
      <Section
        title="Scripts"
        summary={scriptsInWords(values)}
        hasError={hasErrorIn('localSetupScript', 'localTearDownScript')}
      >
        <Scripts form={form} />
      </Section>
      <Section
        title="Runtime"
        summary={String(values.runtimeId ?? 'That of each check or of the account')}
        hasError={hasErrorIn('runtimeId')}
      >
        <RuntimeField form={form} />
      </Section>
    </FormFrame>
  )
}

/** Three answers in two fields of the API. */
function AlertChoice({ form }: { form: ReturnType<typeof useForm<CheckFields>> }) {
  const { useGlobalAlertSettings: usesGlobal } = form.values
  const chosen = usesGlobal === null ? 'check' : usesGlobal === true ? 'account' : 'group'
  return (
    <>
      <div className="field">
        <label htmlFor={fieldId('useGlobalAlertSettings')}>Alert settings</label>
        <select
          id={fieldId('useGlobalAlertSettings')}
          value={chosen}
          onChange={({ target }) => {
            const next = { check: null, account: true, group: false }[target.value] ?? null
            form.change((before) => ({
              ...before,
              useGlobalAlertSettings: next,
              alertSettings: next === false ? (before.alertSettings ?? firstSettings) : null,
            }))
          }}
        >
          <option value="check">{decides}</option>
          <option value="account">Those of the account</option>
          <option value="group">Of this group</option>
        </select>
      </div>
      {chosen === 'group' && <AlertSettingsFields form={form} path="alertSettings" />}
    </>
  )
}

const firstSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
}

function apiDefaultsInWords(values: CheckFields): string {
  const count = (name: string) => listAt(valueAt(values, `apiCheckDefaults.${name}`)).length
  const parts = [
    String(valueAt(values, 'apiCheckDefaults.url') ?? ''),
    count('headers') > 0 ? formatNumberOf(count('headers'), 'header') : '',
    count('assertions') > 0 ? formatNumberOf(count('assertions'), 'assertion') : '',
  ].filter((part) => part !== '')
  return parts.length === 0 ? 'Nothing is set' : parts.join(', ')
}

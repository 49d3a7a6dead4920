// The form of a check of any type: sections that read like sentences, and the run of what is in it.
import './edit-check.css'
import { useCallback, useState } from 'react'
import { useLocationNames } from '../../api/locations.ts'
import { useSession } from '../../api/session.tsx'
import { type Schedule as ScheduleFields, scheduleInWords } from '../../core/schedule-words.ts'
import type { Observed, SuggestedAssertion } from '../../core/suggest-assertions.ts'
import { useHasNoSide } from '../../core/use-is-narrow.ts'
import { FormFrame, readable } from '../../forms/form-frame.tsx'
import type { CheckFields, TypeForm } from '../../forms/schemas/check.ts'
import { Section } from '../../forms/section.tsx'
import { type FormOptions, useForm } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { ActionButton, IconButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { AssertionEditor } from './assertion-editor.tsx'
import { listAt, type PartProps } from './parts.ts'
import { requests } from './requests.tsx'
import { RunPanel } from './run-panel.tsx'
import {
  Alerting,
  Basics,
  Retries,
  RuntimeField,
  Schedule,
  Scripts,
  Thresholds,
  Variables,
} from './sections.tsx'
import {
  alertingInWords,
  assertionsInWords,
  basicsInWords,
  requestInWords,
  retriesInWords,
  scriptsInWords,
  sentenceOf,
  thresholdsInWords,
  variablesInWords,
} from './summaries.ts'
import { useDraftRun } from './use-draft-run.ts'

interface CheckFormProps extends Omit<FormOptions<CheckFields>, 'key' | 'problemsOf' | 'secretPaths'> {
  /** Names the draft. */
  draftKey: string
  type: TypeForm
  /** Absent: it isn't stored yet. */
  checkId?: string
  pingUrl: string | null
  saveLabel: string
  onSaved: () => void
}

export function CheckForm({
  type,
  checkId,
  pingUrl,
  saveLabel,
  onSaved,
  draftKey,
  ...options
}: CheckFormProps) {
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  const isNew = checkId === undefined
  const form = useForm<CheckFields>({
    ...options,
    key: draftKey,
    problemsOf: (values) => type.problemsOf(values, !isNew),
    secretPaths: secretPathsOf,
  })
  const run = useDraftRun({ type, checkId })
  const [isPanelOpen, setPanelOpen] = useState(false)
  const [observed, setObserved] = useState<Observed | null>(null)
  const hasNoSide = useHasNoSide()
  const { values } = form
  const addAssertion = useCallback(
    (assertion: SuggestedAssertion) =>
      form.change((before) => {
        const request = Object(before.request)
        return { ...before, request: { ...request, assertions: [...listAt(request.assertions), assertion] } }
      }),
    [form.change],
  )
  const startRun = () => {
    setPanelOpen(true)
    run.start(values)
  }
  const part: PartProps = { form, type, pingUrl, ...(checkId === undefined ? {} : { checkId }) }
  const panel = (
    <RunPanel
      run={run}
      onObserved={setObserved}
      onAssertion={type.assertions.length > 0 ? addAssertion : null}
    />
  )
  const hasPanel = isPanelOpen && type.canRun
  return (
    <div className={hasPanel && !hasNoSide ? 'edit-layout with-run' : 'edit-layout'}>
      <FormFrame
        form={form}
        saveLabel={saveLabel}
        denial={denial}
        isNew={isNew}
        labelOf={labelOf}
        onSaved={onSaved}
        actions={
          type.canRun ? (
            <ActionButton onPress={startRun} isPending={run.isStarting} denial={denial}>
              <Icon name="run" />
              {run.isStarting ? 'Starting…' : 'Run'}
            </ActionButton>
          ) : undefined
        }
      >
        <Sections {...part} observed={observed} isNew={isNew} />
      </FormFrame>
      {hasPanel && !hasNoSide && (
        <aside className="run-panel" aria-label="Run of this draft">
          <header className="section-head">
            <h2>Run of this draft</h2>
            <IconButton label="Close the run" onPress={() => setPanelOpen(false)}>
              <Icon name="close" />
            </IconButton>
          </header>
          {panel}
        </aside>
      )}
      {hasNoSide && type.canRun && (
        <Overlay title="Run of this draft" isOpen={isPanelOpen} onClose={() => setPanelOpen(false)}>
          <div className="run-sheet">{panel}</div>
        </Overlay>
      )}
    </div>
  )
}

interface SectionsProps extends PartProps {
  observed: Observed | null
  isNew: boolean
}

function Sections({ observed, isNew, ...part }: SectionsProps) {
  const { form, type } = part
  const { values } = form
  const nameOf = useLocationNames()
  const request = requests[type.type]
  const assertions = listAt(valueAt(values, 'request.assertions'))
  const hasErrorIn = (...paths: string[]) => paths.some((path) => form.hasErrorBelow(path))
  const requestPaths = ['heartbeat', 'prompt', 'script', 'codeBundlePath', 'testCommand', 'browsers']
  return (
    <>
      <Section
        title="Basics"
        summary={basicsInWords(values)}
        isOpen={isNew}
        hasError={hasErrorIn('name', 'tags', 'groupId', 'description')}
      >
        <Basics {...part} />
      </Section>
      <Section
        title={request.title}
        summary={requestInWords(type.type, values)}
        isOpen
        hasError={
          hasErrorIn(...requestPaths) ||
          form.problems.some(
            ({ path }) => path.startsWith('request') && !path.startsWith('request.assertions'),
          )
        }
      >
        <request.Part {...part} />
      </Section>
      {type.assertions.length > 0 && (
        <Section
          title="Assertions"
          summary={assertionsInWords(assertions.map(Object))}
          isOpen={isNew || (observed?.usual.length ?? 0) > 0}
          hasError={hasErrorIn('request.assertions')}
        >
          <AssertionEditor
            form={form}
            path="request.assertions"
            options={type.assertions}
            suggestions={observed?.usual ?? []}
          />
        </Section>
      )}
      {type.type !== 'HEARTBEAT' && (
        <Section
          title="Schedule"
          summary={sentenceOf(scheduleInWords(scheduleOf(type.type, values), nameOf))}
          hasError={hasErrorIn(
            'frequency',
            'frequencyOffset',
            'locations',
            'privateLocations',
            'unknownAfterMissedRuns',
          )}
        >
          <Schedule {...part} />
        </Section>
      )}
      {type.has('retryStrategy') && (
        <Section title="Retries" summary={retriesInWords(values)} hasError={hasErrorIn('retryStrategy')}>
          <Retries form={form} canRetryNetworkErrors={type.canRetryNetworkErrors} />
        </Section>
      )}
      {(type.has('maxResponseTime') || type.has('maxPacketLossThreshold')) && (
        <Section
          title="Thresholds"
          summary={thresholdsInWords(values)}
          hasError={hasErrorIn(
            ...['degradedResponseTime', 'maxResponseTime'],
            ...['degradedPacketLossThreshold', 'maxPacketLossThreshold'],
          )}
        >
          <Thresholds {...part} />
        </Section>
      )}
      <Section
        title="Alerting"
        summary={alertingInWords(values)}
        hasError={hasErrorIn('alertSettings', 'alertChannelSubscriptions', 'triggerIncident')}
      >
        <Alerting {...part} />
      </Section>
      {type.has('environmentVariables') && (
        <Section
          title="Variables"
          summary={variablesInWords(values)}
          hasError={hasErrorIn('environmentVariables')}
        >
          <Variables form={form} />
        </Section>
      )}
      {type.has('localSetupScript') && (
        <Section
          title="Scripts"
          summary={scriptsInWords(values)}
          hasError={hasErrorIn('localSetupScript', 'localTearDownScript')}
        >
          <Scripts form={form} />
        </Section>
      )}
      {type.has('runtimeId') && (type.isCode || type.has('localSetupScript')) && (
        <Section
          title="Runtime"
          summary={String(values.runtimeId ?? 'That of its group or of the account')}
          hasError={hasErrorIn('runtimeId')}
        >
          <RuntimeField form={form} />
        </Section>
      )}
    </>
  )
}

function scheduleOf(checkType: string, values: CheckFields): ScheduleFields {
  const { frequency, frequencyOffset, runParallel } = values
  return {
    checkType,
    ...(typeof frequency === 'number' ? { frequency } : {}),
    frequencyOffset: typeof frequencyOffset === 'number' ? frequencyOffset : null,
    locations: listAt(values.locations).map(String),
    privateLocations: listAt(values.privateLocations).map(String),
    runParallel: runParallel === true,
  }
}

/** Values that the browser doesn't keep: of secrets, hidden headers and passwords. */
export function secretPathsOf(values: CheckFields): string[] {
  const pathsIn = (list: string, mark: string) =>
    listAt(valueAt(values, list)).flatMap((row, index) =>
      Object(row)[mark] === true ? [`${list}.${index}.value`] : [],
    )
  return [
    ...pathsIn('environmentVariables', 'secret'),
    ...['request', 'apiCheckDefaults'].flatMap((part) => [
      ...pathsIn(`${part}.headers`, 'locked'),
      ...pathsIn(`${part}.queryParameters`, 'locked'),
      ...(valueAt(values, `${part}.basicAuth.password`) === undefined ? [] : [`${part}.basicAuth.password`]),
    ]),
  ]
}

const labels: Record<string, string> = {
  'request.url': 'URL or host',
  'request.skipSSL': 'Accept any certificate',
  'request.ipFamily': 'IP version',
  alertChannelSubscriptions: 'Channels',
  useGlobalAlertSettings: 'Alert settings',
  environmentVariables: 'Variables',
  groupId: 'Group',
  runtimeId: 'Runtime',
  codeBundlePath: 'Archive',
  degradedResponseTime: 'Degraded above',
  maxResponseTime: 'Failing above',
  localSetupScript: 'Setup script',
  localTearDownScript: 'Teardown script',
  frequencyOffset: 'Offset',
  doubleCheck: 'Retries',
  retryStrategy: 'Retries',
}

export function labelOf(path: string): string {
  if (path.startsWith('request.assertions')) return 'Assertions'
  if (path.startsWith('alertSettings')) return 'Alert settings'
  if (path.startsWith('retryStrategy')) return 'Retries'
  return labels[path] ?? readable(path)
}

export function changesInWords(paths: readonly string[]): string {
  const names = [...new Set(paths.map(labelOf))]
  if (names.length === 0) return 'Saved.'
  const shown = names.length > 4 ? `${names.length} fields` : names.join(', ')
  return `Saved. Changed: ${shown}.`
}

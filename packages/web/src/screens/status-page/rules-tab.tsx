import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import type { StatusPage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { Choice, NumberInput, Rows, TextArea, TextInput, Toggle, WordList } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { ruleProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

type Rule = ResponseTo<'GET /v1/status-pages/{statusPageId}/automation-rules'>[number]

const impactOptions = [
  { value: 'MAJOR_OUTAGE' as const, label: 'Major outage' },
  { value: 'PARTIAL_OUTAGE' as const, label: 'Partial outage' },
  { value: 'DEGRADED_PERFORMANCE' as const, label: 'Degraded performance' },
]

const keyOf = (pageId: string) => ['page-rules', pageId]

export function RulesTab({ page }: { page: StatusPage }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [edited, setEdited] = useState<Rule | 'new' | null>(null)
  const [deleted, setDeleted] = useState<Rule | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(page.id),
    queryFn: ({ signal }) =>
      call(
        'GET /v1/status-pages/{statusPageId}/automation-rules',
        { params: { statusPageId: page.id } },
        signal,
      ),
  })
  if (error && data === undefined) return <Failure what="The rules" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const refresh = () => queries.invalidateQueries({ queryKey: keyOf(page.id) })
  const hasComponents = page.components.length > 0
  const add = (
    <ActionButton
      look="primary"
      denial={
        denialOf('READ_WRITE') ??
        (hasComponents ? null : 'Save a service on the tab “Content” first: a rule names some.')
      }
      onPress={() => setEdited('new')}
    >
      Add rule
    </ActionButton>
  )
  const nameOf = (id: string) => page.components.find((one) => one.id === id)?.name ?? 'a removed component'
  return (
    <div className="stack">
      {data.length === 0 ? (
        <Empty title="No automation rules yet">
          <p className="muted-text">
            A rule opens an incident when a check with one of its tags alerts, and resolves it when all have
            recovered.
          </p>
          {add}
        </Empty>
      ) : (
        <>
          <ul className="row-list">
            {data.map((rule) => (
              <li key={rule.id}>
                <div className="row-main">
                  <p>
                    <strong>{rule.name}</strong>{' '}
                    {rule.enabled ? null : <StateLabel state="inactive" label="Switched off" />}
                  </p>
                  <ProjectBadge {...rule} />
                  <p className="muted-text">
                    When a check with the tag {formatList(rule.tags)} alerts:{' '}
                    {formatList(rule.components.map(({ componentId }) => nameOf(componentId)))}.{' '}
                    {rule.notifySubscribers ? 'Subscribers are notified.' : 'Subscribers aren’t notified.'}
                  </p>
                </div>
                <div className="actions">
                  <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setEdited(rule)}>
                    Edit
                  </ActionButton>
                  <ActionButton look="quiet" denial={denialOf('READ_WRITE')} onPress={() => setDeleted(rule)}>
                    Delete
                  </ActionButton>
                </div>
              </li>
            ))}
          </ul>
          <div className="actions">{add}</div>
        </>
      )}
      {edited !== null && (
        <Overlay title={edited === 'new' ? 'Add rule' : 'Edit rule'} isOpen onClose={() => setEdited(null)}>
          <RuleForm
            page={page}
            rule={edited === 'new' ? null : edited}
            onSaved={() => {
              setEdited(null)
              void refresh()
            }}
          />
        </Overlay>
      )}
      {deleted !== null && (
        <DeleteDialog
          what={`the rule “${deleted.name}”`}
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/status-pages/{statusPageId}/automation-rules/{ruleId}', {
              params: { statusPageId: page.id, ruleId: deleted.id },
            })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome(`The rule “${deleted.name}” was deleted.`)
            void refresh()
          }}
        >
          <p>An incident that it has opened stays open until you resolve it.</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function RuleForm({ page, rule, onSaved }: { page: StatusPage; rule: Rule | null; onSaved(): void }) {
  const { denialOf } = useSession()
  const options = page.components.map(({ id, name, type }) => ({
    value: id,
    label: type === 'GROUP' ? `${name} (group)` : name,
  }))
  const newRow = () => ({ componentId: options[0]?.value ?? '', targetImpact: 'MAJOR_OUTAGE' as const })
  const form = useForm({
    key: `rule/${page.id}/${rule?.id ?? 'new'}`,
    saved: {
      name: rule?.name ?? '',
      enabled: rule?.enabled ?? true,
      tags: rule?.tags ?? [],
      firstUpdate: rule?.firstUpdate ?? 'We are investigating a problem.',
      lastUpdate: rule?.lastUpdate ?? 'All is well again.',
      notifySubscribers: rule?.notifySubscribers ?? true,
      coolDownWindowMinutes: rule?.coolDownWindowMinutes ?? 5,
      components: rule?.components ?? [newRow()],
    },
    problemsOf: ruleProblems,
    save: async (body) => {
      const params = { statusPageId: page.id }
      if (rule === null) await call('POST /v1/status-pages/{statusPageId}/automation-rules', { params, body })
      else
        await call('PUT /v1/status-pages/{statusPageId}/automation-rules/{ruleId}', {
          params: { ...params, ruleId: rule.id },
          body,
        })
      showOutcome(`The rule “${body.name}” was saved.`)
    },
  })
  return (
    <FormFrame
      form={form}
      saveLabel={rule === null ? 'Add' : 'Save'}
      isNew={rule === null}
      denial={denialOf('READ_WRITE')}
      onSaved={onSaved}
    >
      <TextInput form={form} path="name" label="Name" description="Also the name of the incident." />
      <WordList
        form={form}
        path="tags"
        label="Tags"
        description="Of checks or of their groups. One of them is enough."
      />
      <Rows
        form={form}
        path="components"
        label="Affected components"
        addLabel="Add component"
        newRow={newRow}
        max={100}
      >
        {(path) => (
          <>
            <Choice form={form} path={`${path}.componentId`} label="Component" options={options} />
            <Choice form={form} path={`${path}.targetImpact`} label="Impact" options={impactOptions} />
          </>
        )}
      </Rows>
      <TextArea form={form} path="firstUpdate" label="First update" rows={2} />
      <TextArea
        form={form}
        path="lastUpdate"
        label="Last update"
        rows={2}
        description="It resolves the incident."
      />
      <Toggle form={form} path="notifySubscribers" label="Notify subscribers" />
      <NumberInput
        form={form}
        path="coolDownWindowMinutes"
        label="Open the same incident again within"
        unit="minutes"
        min={0}
        max={1440}
      />
      <Toggle form={form} path="enabled" label="Switched on" />
    </FormFrame>
  )
}

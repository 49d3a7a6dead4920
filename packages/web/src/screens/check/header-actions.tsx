import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCheckChange, useRunNow } from '../../api/check-actions.ts'
import { useSession } from '../../api/session.tsx'
import type { Check } from '../../api/types.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MuteButton } from '../../parts/mute-button.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { useKeys } from '../../shell/keys.ts'
import { DeleteCheck } from './delete-check.tsx'

export function HeaderActions({ check }: { check: Check }) {
  const { denialOf } = useSession()
  const run = useRunNow(check.id)
  const change = useCheckChange(check.id)
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const canRun = check.checkType !== 'HEARTBEAT'
  const runDenial = denialOf('READ_RUN')
  const writeDenial = denialOf('READ_WRITE')
  const edit = () => navigate(`/checks/${check.id}/edit`)
  useKeys({
    r: () => canRun && runDenial === null && !run.isPending && run.mutate(),
    e: () => writeDenial === null && edit(),
  })
  const error = run.error ?? change.error
  return (
    <>
      {canRun && (
        <ActionButton
          look="primary"
          onPress={() => run.mutate()}
          isPending={run.isPending}
          denial={runDenial}
          aria-keyshortcuts="r"
        >
          <Icon name="run" />
          {run.isPending ? 'Running…' : 'Run now'}
        </ActionButton>
      )}
      <ActionButton onPress={edit} denial={writeDenial} aria-keyshortcuts="e">
        <Icon name="edit" />
        Edit
      </ActionButton>
      <MuteButton check={check} />
      <ActionButton
        onPress={() => change.mutate({ activated: !check.activated })}
        isPending={change.isPending}
        denial={writeDenial}
      >
        <Icon name={check.activated ? 'pause' : 'run'} />
        {check.activated ? 'Pause' : 'Resume'}
      </ActionButton>
      <PickMenu
        label="More actions"
        look="button icon-only"
        button={<Icon name="more" />}
        entries={[
          {
            ...{ id: 'duplicate', label: 'Duplicate', text: 'Duplicate', denial: writeDenial },
            onAction: () => navigate(`/checks/new?from=${check.id}`),
          },
          {
            ...{ id: 'history', label: 'History', text: 'History' },
            onAction: () => navigate(`/settings/audit-log?resource=${check.id}`),
          },
          {
            ...{ id: 'delete', label: 'Delete…', text: 'Delete', denial: writeDenial, startsSection: true },
            onAction: () => setDeleting(true),
          },
        ]}
      />
      <DeleteCheck
        check={check}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDeleted={() => navigate('/checks')}
      />
      {error && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
    </>
  )
}

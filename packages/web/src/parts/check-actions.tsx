// Run now, and what else can be done with a check in a list.
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { useCheckChange, useRunNow } from '../api/check-actions.ts'
import { useSession } from '../api/session.tsx'
import type { OverviewCheck } from '../api/types.ts'
import { isMuted, muteChoices, muteWords } from '../core/mute-times.ts'
import { ActionButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { muteChange, unmuted } from './mute-button.tsx'
import { type MenuEntry, PickMenu } from './pick-menu.tsx'
import { reasonOf } from './states.tsx'
import { useNow, useTimeOptions } from './time.tsx'

/** Not part of the first screen. */
const DeleteCheck = lazy(async () => ({
  default: (await import('../screens/check/delete-check.tsx')).DeleteCheck,
}))

type ActedOn = Pick<OverviewCheck, 'id' | 'name' | 'muted' | 'mutedUntil' | 'activated' | 'checkType'>

export function CheckActions({ check }: { check: ActedOn }) {
  const [isDeleting, setDeleting] = useState(false)
  const { run, runDenial, entries, error, denial } = useCheckMenu(check)
  const deletion: MenuEntry = {
    ...{ id: 'delete', label: 'Delete…', text: 'Delete', denial, startsSection: true },
    onAction: () => setDeleting(true),
  }
  return (
    <div className="check-actions">
      {check.checkType !== 'HEARTBEAT' && (
        <ActionButton
          onPress={() => run.mutate()}
          isPending={run.isPending}
          denial={runDenial}
          aria-label={`Run ${check.name} now`}
        >
          <Icon name="run" />
          {run.isPending ? 'Running…' : 'Run now'}
        </ActionButton>
      )}
      <PickMenu
        label={`More actions for ${check.name}`}
        look="button icon-only"
        button={<Icon name="more" />}
        entries={[...entries, deletion]}
      />
      {isDeleting && (
        <Suspense>
          <DeleteCheck check={check} isOpen onClose={() => setDeleting(false)} onDeleted={() => undefined} />
        </Suspense>
      )}
      {error && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
    </div>
  )
}

/** What a menu about one check offers, besides running it. `onError`: where no error is shown beside the menu. */
export function useCheckMenu(check: ActedOn, onError?: (error: Error) => void) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const run = useRunNow(check.id)
  const change = useCheckChange(check.id)
  const denial = denialOf('READ_WRITE')
  const apply = (body: Parameters<typeof change.mutate>[0]) => {
    if (onError === undefined) change.mutate(body)
    // Not an option of mutate(): the menu is closed by then.
    else change.mutateAsync(body).catch(onError)
  }
  const entries: MenuEntry[] = [
    { id: 'open', label: 'Open', text: 'Open', onAction: () => navigate(`/checks/${check.id}`) },
    {
      ...{ id: 'edit', label: 'Edit', text: 'Edit', denial },
      onAction: () => navigate(`/checks/${check.id}/edit`),
    },
    {
      ...{ id: 'duplicate', label: 'Duplicate', text: 'Duplicate', denial },
      onAction: () => navigate(`/checks/new?from=${check.id}`),
    },
    ...useMuteEntries(check, apply),
    {
      ...{ id: 'pause', label: check.activated ? 'Pause' : 'Resume', text: 'Pause', denial },
      startsSection: true,
      onAction: () => apply({ activated: !check.activated }),
    },
  ]
  return { run, runDenial: denialOf('READ_RUN'), entries, denial, error: run.error ?? change.error }
}

function useMuteEntries(
  check: ActedOn,
  change: (body: { muted?: boolean; mutedUntil?: string | null }) => void,
): MenuEntry[] {
  const denial = useSession().denialOf('READ_WRITE')
  const now = useNow()
  const options = useTimeOptions()
  if (!isMuted(check, now))
    return muteChoices(now, options).map((choice, index) => ({
      ...{ id: choice.id, label: choice.label, text: choice.label, denial, startsSection: index === 0 },
      onAction: () => change(muteChange(choice)),
    }))
  const label = (
    <>
      Unmute
      <small className="hint">{muteWords(check.mutedUntil, now, options)}</small>
    </>
  )
  return [
    { id: 'unmute', label, text: 'Unmute', denial, startsSection: true, onAction: () => change(unmuted) },
  ]
}

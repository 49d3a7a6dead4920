// What the screens of both kinds of sessions have in common: the heading, how far it is, cancel and run again.
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { SessionEntry } from '../../api/types.ts'
import { formatNumberOf } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { SessionStateLabel } from './session-state.tsx'
import { Elapsed } from './sessions.tsx'

export interface SessionProps {
  session: SessionEntry
  onChange(): void
}

interface SessionFrameProps extends SessionProps {
  /** Starts the same runs once more; resolves to the id of the new session. */
  rerun: () => Promise<string>
  /** Why they can't be run again; null: they can. */
  rerunDenial: string | null
  children: ReactNode
}

export function SessionFrame({ session, onChange, rerun, rerunDenial, children }: SessionFrameProps) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const denial = denialOf('READ_RUN')
  const { id, kind, name, state, expected, done } = session
  const cancel = useMutation({
    mutationFn: () =>
      call('POST /v1/cancel', { body: kind === 'check' ? { checkSessionId: id } : { testSessionId: id } }),
    onSuccess: () => {
      showOutcome('Canceled: runs in progress are ended.')
      onChange()
    },
  })
  const again = useMutation({ mutationFn: rerun, onSuccess: (newId) => navigate(`/sessions/${newId}`) })
  const error = cancel.error ?? again.error
  return (
    <ScreenFrame
      title={name}
      tabTitle={`${name}: session`}
      trail={<Link href="/sessions">Sessions</Link>}
      actions={
        <>
          {state === 'running' && (
            <ActionButton onPress={() => cancel.mutate()} isPending={cancel.isPending} denial={denial}>
              Cancel the session
            </ActionButton>
          )}
          <ActionButton
            look={state === 'running' ? 'plain' : 'primary'}
            onPress={() => again.mutate()}
            isPending={again.isPending}
            denial={denial ?? rerunDenial}
          >
            <Icon name="run" />
            Run again
          </ActionButton>
        </>
      }
    >
      {error && (
        <p className="field-error" role="alert">
          {reasonOf(error)}
        </p>
      )}
      <div className="session-facts" role="status">
        <SessionStateLabel session={session} />
        <span className="muted-text">
          {kind === 'check' ? 'Check session' : 'Test session'}, started <Moment at={session.startedAt} />,{' '}
          {state === 'running' ? 'running for' : 'took'} <Elapsed {...session} />
        </span>
      </div>
      {state === 'running' && (
        <progress
          className="session-progress"
          value={done}
          max={Math.max(1, expected)}
          aria-label={`${done} of ${formatNumberOf(expected, 'run')} over`}
        />
      )}
      {children}
    </ScreenFrame>
  )
}

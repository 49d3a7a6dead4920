// The screen of an incident, on status pages or on a dashboard: its facts, its updates, and the forms that change them.
import { useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { useSession } from '../../api/session.tsx'
import { statusLabels } from '../../core/incident-words.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { HistoryLink } from '../../parts/history-link.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface AnyUpdate {
  id: string
  status: keyof typeof statusLabels
  description: string
}

interface Props<Update extends AnyUpdate> {
  incident: { id: string; name: string; incidentUpdates: readonly Update[] }
  /** The list that it is in. */
  list: { label: string; href: string }
  /** What a change of the incident makes stale. */
  queryKeys: readonly string[]
  onChange(): void
  facts: ReactNode
  postHeading: string
  renderPost(onPosted: () => void): ReactNode
  renderBelowPost?(onSaved: () => void): ReactNode
  renderTime(update: Update): ReactNode
  renderEditUpdate(update: Update, onSaved: () => void): ReactNode
  renderEdit(onSaved: () => void): ReactNode
  asCurl(target: { origin: string; accountId: string }): string
  /** Why no update can be deleted. */
  updateDenial?: string | null
  deleteUpdate(update: Update): Promise<unknown>
  updateDeletion?: ReactNode
  deleteIncident(): Promise<unknown>
  /** What follows from deleting the incident. */
  deletion: ReactNode
}

export function IncidentView<Update extends AnyUpdate>({ incident, list, ...props }: Props<Update>) {
  const { denialOf, account } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<'edit' | 'delete' | 'code' | null>(null)
  const [edited, setEdited] = useState<Update | null>(null)
  const [deleted, setDeleted] = useState<Update | null>(null)
  const [posts, setPosts] = useState(0)
  const { id, name, incidentUpdates } = incident
  const denial = denialOf('READ_WRITE')
  const invalidate = () => {
    for (const key of props.queryKeys) void queries.invalidateQueries({ queryKey: [key] })
  }
  const refresh = () => {
    props.onChange()
    invalidate()
  }
  const close = () => setOpened(null)
  return (
    <ScreenFrame
      title={name}
      trail={<Link href={list.href}>{list.label}</Link>}
      actions={
        <>
          <HistoryLink resourceId={id} />
          <ActionButton denial={denial} onPress={() => setOpened('edit')}>
            Edit
          </ActionButton>
          <ActionButton onPress={() => setOpened('code')}>Code</ActionButton>
          <ActionButton denial={denial} onPress={() => setOpened('delete')}>
            Delete
          </ActionButton>
        </>
      }
    >
      <div className="incident-facts">{props.facts}</div>
      <div className="incident-columns">
        <section aria-labelledby="post-heading">
          <h2 id="post-heading">{props.postHeading}</h2>
          <Fragment key={posts}>
            {props.renderPost(() => {
              setPosts((before) => before + 1)
              refresh()
            })}
          </Fragment>
          {props.renderBelowPost?.(refresh)}
        </section>
        <section aria-labelledby="timeline-heading">
          <h2 id="timeline-heading">Updates</h2>
          <ol className="timeline">
            {incidentUpdates.map((update) => (
              <li key={update.id}>
                <div className="update-head">
                  <strong>{statusLabels[update.status]}</strong>
                  <span className="muted-text">{props.renderTime(update)}</span>
                </div>
                <p className="words">{update.description}</p>
                <div className="actions">
                  <ActionButton look="quiet" denial={denial} onPress={() => setEdited(update)}>
                    Edit
                  </ActionButton>
                  <ActionButton
                    look="quiet"
                    denial={denial ?? props.updateDenial ?? null}
                    onPress={() => setDeleted(update)}
                  >
                    Delete
                  </ActionButton>
                </div>
              </li>
            ))}
          </ol>
        </section>
      </div>
      {opened === 'edit' && (
        <Overlay title="Edit the incident" isOpen onClose={close}>
          {props.renderEdit(() => {
            close()
            refresh()
          })}
        </Overlay>
      )}
      {opened === 'code' && (
        <Overlay title="Incident as code" isOpen onClose={close}>
          <CodeBlock
            title="curl"
            text={props.asCurl({ origin: location.origin + basePath, accountId: account.id })}
          />
        </Overlay>
      )}
      {edited !== null && (
        <Overlay title="Edit the update" isOpen onClose={() => setEdited(null)}>
          {props.renderEditUpdate(edited, () => {
            setEdited(null)
            refresh()
          })}
        </Overlay>
      )}
      {deleted !== null && (
        <DeleteDialog
          what="this update"
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() => props.deleteUpdate(deleted)}
          onDeleted={() => {
            setDeleted(null)
            showOutcome('The update was deleted.')
            refresh()
          }}
        >
          {props.updateDeletion}
        </DeleteDialog>
      )}
      <DeleteDialog
        what={`the incident “${name}”`}
        isOpen={opened === 'delete'}
        onClose={close}
        onDelete={props.deleteIncident}
        onDeleted={() => {
          showOutcome(`The incident “${name}” was deleted.`)
          invalidate()
          navigate(list.href)
        }}
      >
        {props.deletion}
      </DeleteDialog>
    </ScreenFrame>
  )
}

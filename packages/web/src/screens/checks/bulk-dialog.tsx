// Asks for what an action needs, shows its effect, carries it out in parts, and lists what failed.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BulkAction, BulkItem } from '@vedette/contracts'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { useGroups } from '../../api/lists.ts'
import { formatCount, formatNumberOf } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import type { Deed, SelectedChecks } from './deeds.ts'
import { exportChecks } from './export-checks.ts'

type Ready = Exclude<Deed, { action: 'tag' } | { action: 'move' } | { action: 'export' }>

interface BulkDialogProps {
  deed: Deed
  selection: SelectedChecks
  count: number
  onClose(): void
  onDone(): void
}

export function BulkDialog({ deed, ...props }: BulkDialogProps) {
  const [ready, setReady] = useState<Ready | null>(isReady(deed) ? deed : null)
  if (ready !== null) return <Preview deed={ready} {...props} />
  if (deed.action === 'tag') return <TagForm {...props} onReady={setReady} />
  if (deed.action === 'move') return <MoveForm {...props} onReady={setReady} />
  return <Export {...props} />
}

function isReady(deed: Deed): deed is Ready {
  return deed.action !== 'tag' && deed.action !== 'move' && deed.action !== 'export'
}

type StepProps = Omit<BulkDialogProps, 'deed'>

/** Checks per request: small enough to show progress. */
const partSize = 500

function Preview({ deed, selection, onClose, onDone }: StepProps & { deed: Ready }) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const [failed, setFailed] = useState<readonly BulkItem[] | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const preview = useQuery({
    queryKey: ['bulk-preview', deed, selection],
    queryFn: ({ signal }) =>
      call('POST /v1/bulk-actions', { body: { ...deed, selection, dryRun: true } }, signal),
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const refresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'bulk-preview' })
  const carryOut = async () => {
    const ids = (preview.data?.items ?? []).flatMap(({ checkId, outcome }) =>
      outcome === 'changed' ? [checkId] : [],
    )
    const [undo, failures]: [BulkAction[], BulkItem[]] = [[], []]
    let changed = 0
    setError(null)
    try {
      for (let start = 0; start < ids.length; start += partSize) {
        setProgress({ done: start, total: ids.length })
        const checkIds = ids.slice(start, start + partSize)
        const body = { ...deed, selection: { checkIds }, dryRun: false }
        const result = await call('POST /v1/bulk-actions', {
          body: deed.action === 'delete' ? { ...body, expectedCount: checkIds.length } : body,
        })
        changed += result.changed
        undo.push(...result.undo)
        failures.push(...result.items.filter(({ outcome }) => outcome === 'failed'))
      }
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
      setProgress(null)
      await refresh()
      return
    }
    setProgress(null)
    void refresh()
    const isUndoable = undo.length > 0 && deed.action !== 'run'
    showOutcome(
      `${doneWords[deed.action]} ${formatNumberOf(changed, 'check')}.`,
      isUndoable ? () => void undoAll(undo, refresh) : undefined,
    )
    if (failures.length === 0) onDone()
    else setFailed(failures)
  }
  const { data } = preview
  const title = titles[deed.action]
  if (failed !== null)
    return (
      <Overlay title={`${formatNumberOf(failed.length, 'check')} failed`} isOpen onClose={onDone}>
        <ItemList items={failed} />
        <div className="actions">
          <ActionButton onPress={onDone}>Close</ActionButton>
        </div>
      </Overlay>
    )
  const impossible = data?.items.filter(({ outcome }) => outcome === 'failed') ?? []
  const isCountMissing = deed.action === 'delete' && typed.trim().replace(/,/g, '') !== String(data?.changed)
  return (
    <Overlay title={title} isOpen {...(progress === null ? { onClose } : {})}>
      {preview.error && <Failure what="The preview" error={preview.error} onRetry={preview.refetch} />}
      {!data && !preview.error && <FirstLoad rows={3} />}
      {data && (
        <>
          <p>
            {data.changed === 0
              ? 'Nothing would change.'
              : `${formatNumberOf(data.changed, 'check')} will change${detailOf(deed)}.`}
            {data.unchanged > 0 && ` ${formatNumberOf(data.unchanged, 'check')} already as asked for.`}
          </p>
          {data.warnings.length > 0 && (
            <ul className="plain-list">
              {data.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
          {impossible.length > 0 && (
            <details>
              <summary>{formatNumberOf(impossible.length, 'check')} can’t be changed</summary>
              <ItemList items={impossible} />
            </details>
          )}
          {deed.action === 'delete' && data.changed > 0 && (
            <label className="field">
              Type {formatCount(data.changed)} to confirm
              <input
                value={typed}
                inputMode="numeric"
                autoComplete="off"
                onChange={({ target }) => setTyped(target.value)}
              />
            </label>
          )}
        </>
      )}
      {progress && (
        <label className="progress">
          {formatCount(progress.done)} of {formatNumberOf(progress.total, 'check')}
          <progress value={progress.done} max={progress.total} />
        </label>
      )}
      {error && (
        <p className="field-error" role="alert">
          It stopped: {reasonOf(error)}
        </p>
      )}
      <div className="actions">
        {data && data.changed > 0 && (
          <ActionButton
            look={deed.action === 'delete' ? 'danger' : 'primary'}
            isPending={progress !== null}
            isDisabled={isCountMissing}
            onPress={carryOut}
          >
            {verbs[deed.action]} {formatNumberOf(data.changed, 'check')}
          </ActionButton>
        )}
        <ActionButton onPress={onClose} isDisabled={progress !== null}>
          Cancel
        </ActionButton>
      </div>
    </Overlay>
  )
}

async function undoAll(undo: readonly BulkAction[], refresh: () => Promise<void>): Promise<void> {
  try {
    for (const body of undo) await call('POST /v1/bulk-actions', { body })
    showOutcome('Undone.')
  } catch (error) {
    showOutcome(`Couldn’t undo all of it: ${reasonOf(error instanceof Error ? error : new Error('unknown'))}`)
  }
  await refresh()
}

const verbs: Record<Ready['action'], string> = {
  pause: 'Pause',
  resume: 'Resume',
  mute: 'Mute',
  unmute: 'Unmute',
  addTags: 'Tag',
  removeTags: 'Remove tags of',
  moveToGroup: 'Move',
  delete: 'Delete',
  run: 'Run',
}

const doneWords: Record<Ready['action'], string> = {
  pause: 'Paused',
  resume: 'Resumed',
  mute: 'Muted',
  unmute: 'Unmuted',
  addTags: 'Tagged',
  removeTags: 'Removed tags of',
  moveToGroup: 'Moved',
  delete: 'Deleted',
  run: 'Started',
}

const titles: Record<Ready['action'], string> = {
  pause: 'Pause checks?',
  resume: 'Resume checks?',
  mute: 'Mute checks?',
  unmute: 'Unmute checks?',
  addTags: 'Add tags?',
  removeTags: 'Remove tags?',
  moveToGroup: 'Move checks?',
  delete: 'Delete checks?',
  run: 'Run checks now?',
}

function detailOf(deed: Ready): string {
  if (deed.action === 'addTags') return `: tagged ${deed.tags.join(', ')}`
  if (deed.action === 'removeTags') return `: without ${deed.tags.join(', ')}`
  return ''
}

/** Many reasons are the same: the first checks are enough to see them. */
const listed = 100

function ItemList({ items }: { items: readonly BulkItem[] }) {
  return (
    <ul className="item-list">
      {items.slice(0, listed).map(({ checkId, name, reason }) => (
        <li key={checkId}>
          <strong>{name ?? checkId}</strong> <span className="muted-text">{reason}</span>
        </li>
      ))}
      {items.length > listed && <li className="muted-text">and {formatCount(items.length - listed)} more</li>}
    </ul>
  )
}

function TagForm({ count, onClose, onReady }: StepProps & { onReady(deed: Ready): void }) {
  const [text, setText] = useState('')
  const [action, setAction] = useState<'addTags' | 'removeTags'>('addTags')
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (tags.length > 0) onReady({ action, tags })
  }
  return (
    <Overlay title={`Tag ${formatNumberOf(count, 'check')}`} isOpen onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <fieldset className="chips">
          <legend className="unseen">What to do</legend>
          {(['addTags', 'removeTags'] as const).map((one) => (
            <button
              key={one}
              type="button"
              className="chip"
              aria-pressed={action === one}
              onClick={() => setAction(one)}
            >
              {one === 'addTags' ? 'Add' : 'Remove'}
            </button>
          ))}
        </fieldset>
        <label className="field">
          Tags, separated by commas
          {/* biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here */}
          <input value={text} onChange={({ target }) => setText(target.value)} autoFocus />
        </label>
        <div className="actions">
          <ActionButton type="submit" look="primary" isDisabled={tags.length === 0}>
            Continue
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

function MoveForm({ count, onClose, onReady }: StepProps & { onReady(deed: Ready): void }) {
  const [groupId, setGroupId] = useState('')
  const groups = useGroups()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onReady({ action: 'moveToGroup', groupId: groupId === '' ? null : Number(groupId) })
  }
  return (
    <Overlay title={`Move ${formatNumberOf(count, 'check')}`} isOpen onClose={onClose}>
      {groups.error && <Failure what="The groups" error={groups.error} onRetry={groups.refetch} />}
      <form className="form" onSubmit={submit}>
        <label className="field">
          Group
          <select value={groupId} onChange={({ target }) => setGroupId(target.value)}>
            <option value="">Without a group</option>
            {groups.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <div className="actions">
          <ActionButton type="submit" look="primary">
            Continue
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

function Export({ selection, count, onClose }: StepProps) {
  const [progress, setProgress] = useState<number | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const start = async () => {
    setError(null)
    setProgress(0)
    try {
      const exported = await exportChecks(selection, setProgress)
      showOutcome(`${formatNumberOf(exported, 'check')} exported.`)
      onClose()
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
      setProgress(null)
    }
  }
  return (
    <Overlay title="Export as code" isOpen onClose={onClose}>
      <p>
        A TypeScript file with {count === 1 ? 'the construct' : 'constructs'} of{' '}
        {formatNumberOf(count, 'check')}. Secret values aren’t part of it: they are read from environment
        variables.
      </p>
      {progress !== null && (
        <label className="progress">
          {formatCount(progress)} of {formatNumberOf(count, 'check')}
          <progress value={progress} max={count} />
        </label>
      )}
      {error && (
        <p className="field-error" role="alert">
          Couldn’t export: {reasonOf(error)}
        </p>
      )}
      <div className="actions">
        <ActionButton look="primary" isPending={progress !== null} onPress={start}>
          Download
        </ActionButton>
        <ActionButton onPress={onClose}>Cancel</ActionButton>
      </div>
    </Overlay>
  )
}

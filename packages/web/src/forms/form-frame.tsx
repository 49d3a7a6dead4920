// Around the fields of a form: the summary of errors, the bar with its buttons, and the choice between two people's values.
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { ActionButton } from '../parts/button.tsx'
import { Overlay } from '../parts/dialog.tsx'
import { fieldId } from './fields.tsx'
import { useLeaveGuard } from './leave-guard.ts'
import type { Conflict } from './save-merged.ts'
import type { Form } from './use-form.ts'

interface FormFrameProps<T> {
  form: Form<T>
  /** `Create`, `Save`. */
  saveLabel: string
  /** Why the user may not save. */
  denial?: string | null
  /** The name of a field for people, by its path; absent: the path. */
  labelOf?: (path: string) => string
  /** A new resource can be saved as it is. */
  isNew?: boolean
  /** After it was saved. */
  onSaved: () => void
  /** Other buttons of the bar, such as Run. */
  actions?: ReactNode
  children: ReactNode
}

export function FormFrame<T>({
  form,
  saveLabel,
  denial = null,
  labelOf = readable,
  isNew = false,
  onSaved,
  actions,
  children,
}: FormFrameProps<T>) {
  const summary = useRef<HTMLDivElement>(null)
  const latestDiscard = useRef(form.discard)
  latestDiscard.current = form.discard
  const discard = useCallback(() => latestDiscard.current(), [])
  useLeaveGuard(form.isChanged, discard)
  const finish = async (saving: Promise<boolean>) => {
    // The guard is down only after the next render.
    if (await saving) setTimeout(onSaved)
    else setTimeout(() => summary.current?.focus())
  }
  return (
    <form
      className="edit-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (denial === null && !form.isSaving) void finish(form.save())
      }}
    >
      {form.isRestored && (
        <div className="notice" role="status">
          These are your unsaved changes from before.
          <ActionButton onPress={form.discard}>Discard them</ActionButton>
        </div>
      )}
      {children}
      {(form.problems.length > 0 || form.failure !== null) && (
        <div className="failure" role="alert" tabIndex={-1} ref={summary}>
          {form.failure !== null ? (
            <p>Couldn’t save: {form.failure}</p>
          ) : (
            <ul className="problem-list">
              {form.problems.map(({ path, message }) => (
                <li key={path + message}>
                  <a href={`#${fieldId(path)}`} onClick={(event) => focusField(event, path)}>
                    {labelOf(path)}
                  </a>
                  : {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <div className="form-bar">
        <ActionButton
          type="submit"
          look="primary"
          isPending={form.isSaving}
          denial={denial}
          isDisabled={!form.isChanged && !isNew}
        >
          {saveLabel}
        </ActionButton>
        {actions}
        {form.isChanged && (
          <ActionButton look="quiet" onPress={form.discard}>
            Discard changes
          </ActionButton>
        )}
        <span className="muted-text" role="status">
          {changesInWords(form, labelOf)}
        </span>
      </div>
      {form.conflicts !== null && (
        <ConflictDialog
          conflicts={form.conflicts}
          labelOf={labelOf}
          onChosen={(chosen) => void finish(form.resolve(chosen))}
        />
      )}
    </form>
  )
}

interface ConflictDialogProps {
  conflicts: readonly Conflict[]
  labelOf: (path: string) => string
  onChosen: (chosen: { path: string; value: unknown }[] | null) => void
}

/** Someone else saved meanwhile: both values are shown, and one is chosen for each field. */
function ConflictDialog({ conflicts, labelOf, onChosen }: ConflictDialogProps) {
  const [keepsMine, setKeepsMine] = useState<ReadonlySet<string>>(
    () => new Set(conflicts.map(({ path }) => path)),
  )
  const choose = (path: string, isMine: boolean) => {
    const next = new Set(keepsMine)
    if (isMine) next.add(path)
    else next.delete(path)
    setKeepsMine(next)
  }
  return (
    <Overlay title="Someone else saved this meanwhile" isOpen onClose={() => onChosen(null)}>
      <p>Both of you changed these fields. Choose what to keep; everything else is merged.</p>
      {conflicts.map(({ path, mine, theirs }) => (
        <fieldset key={path} className="field many">
          <legend>{labelOf(path)}</legend>
          {[true, false].map((isMine) => (
            <label key={String(isMine)} className="conflict-choice">
              <input
                type="radio"
                name={path}
                checked={keepsMine.has(path) === isMine}
                onChange={() => choose(path, isMine)}
              />
              <span>{isMine ? 'Yours' : 'Theirs'}</span>
              <code>{shown(isMine ? mine : theirs)}</code>
            </label>
          ))}
        </fieldset>
      ))}
      <div className="actions">
        <ActionButton
          look="primary"
          onPress={() =>
            onChosen(
              conflicts.map(({ path, mine, theirs }) => ({
                path,
                value: keepsMine.has(path) ? mine : theirs,
              })),
            )
          }
        >
          Save
        </ActionButton>
        <ActionButton onPress={() => onChosen(null)}>Back to editing</ActionButton>
      </div>
    </Overlay>
  )
}

function focusField(event: { preventDefault(): void }, path: string): void {
  event.preventDefault()
  // A list or an object has no control of its own: the nearest field around it does.
  for (let at = path; at !== ''; at = at.split('.').slice(0, -1).join('.')) {
    const field = document.getElementById(fieldId(at))
    if (field === null) continue
    field.focus()
    return
  }
}

function changesInWords<T>(form: Form<T>, labelOf: (path: string) => string): string {
  const names = [...new Set(form.changes.map(({ path }) => labelOf(path)))]
  if (names.length === 0) return ''
  return names.length > 4 ? `${names.length} changes` : `Changed: ${names.join(', ')}`
}

/** `request.followRedirects` → `Follow redirects`. */
export function readable(path: string): string {
  const name =
    path
      .split('.')
      .filter((key) => !/^\d+$/.test(key))
      .at(-1) ?? path
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(empty)'
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

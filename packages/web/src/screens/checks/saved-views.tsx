// Filters, columns and order under a name, beside the filters.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, memo, useState } from 'react'
import { useLocation } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type MenuEntry, PickMenu } from '../../parts/pick-menu.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { useHiddenColumns } from './column-menu.tsx'
import { columnIds } from './columns.tsx'
import { type Filters, readFilters, writeFilters } from './filters.ts'

type SavedView = ResponseTo<'GET /v1/saved-views'>[number]

const viewsKey = ['saved-views']

export const SavedViews = memo(function SavedViews({ filters }: { filters: Filters }) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [isSaving, setSaving] = useState(false)
  const hidden = useHiddenColumns(filters.columns)
  const columns = columnIds.filter((id) => !hidden.includes(id))
  const query = writeFilters({ ...filters, columns }).toString()
  const { data: views = [] } = useQuery({
    queryKey: viewsKey,
    queryFn: ({ signal }) =>
      loadAll((page) => callList('GET /v1/saved-views', { query: { limit: 100, page } }, signal)),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: viewsKey })
  const fail = (error: Error) => showOutcome(`The view couldn’t be changed: ${reasonOf(error)}`)
  const remove = useMutation({
    mutationFn: async (view: SavedView) => {
      await call('DELETE /v1/saved-views/{id}', { params: { id: view.id } })
      const { name, query, isShared } = view
      const restore = () =>
        call('POST /v1/saved-views', { body: { name, query, isShared } }).then(refresh, fail)
      showOutcome(`The view “${name}” is deleted.`, restore)
    },
    onError: fail,
    onSettled: refresh,
  })
  const current = views.find((view) => isSame(view.query, query))
  const shareDenial = denialOf('READ_WRITE')
  const entries: MenuEntry[] = [
    ...views.map((view) => ({
      id: view.id,
      label: view.isShared ? (
        <>
          {view.name} <small className="hint">Shared</small>
        </>
      ) : (
        view.name
      ),
      text: view.name,
      isChecked: view === current,
      onAction: () => navigate(`/checks?${view.query}`),
    })),
    {
      ...{ id: 'save', label: 'Save this view…', text: 'Save this view', startsSection: views.length > 0 },
      onAction: () => setSaving(true),
    },
    ...(current === undefined
      ? []
      : [
          {
            ...{ id: 'delete', label: `Delete “${current.name}”`, text: 'Delete' },
            denial: current.isOwn ? null : shareDenial,
            onAction: () => remove.mutate(current),
          },
        ]),
  ]
  return (
    <>
      <PickMenu
        label={current === undefined ? 'Views' : `View: ${current.name}`}
        placement="bottom start"
        entries={entries}
        button={
          <>
            <Icon name="star" />
            {current?.name ?? 'Views'}
            <Icon name="down" />
          </>
        }
      />
      <SaveDialog
        isOpen={isSaving}
        query={query}
        shareDenial={shareDenial}
        onClose={() => setSaving(false)}
        onSaved={(view) => {
          setSaving(false)
          refresh()
          navigate(`/checks?${view.query}`, { replace: true })
          showOutcome(`The view “${view.name}” is saved.`)
        }}
      />
    </>
  )
})

/** Whether both mean the same list, whatever the order of their parts. */
function isSame(a: string, b: string): boolean {
  const plain = (text: string) => writeFilters(readFilters(new URLSearchParams(text))).toString()
  return plain(a) === plain(b)
}

interface SaveDialogProps {
  isOpen: boolean
  query: string
  shareDenial: string | null
  onClose(): void
  onSaved(view: SavedView): void
}

function SaveDialog({ isOpen, query, shareDenial, onClose, onSaved }: SaveDialogProps) {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const save = useMutation({
    mutationFn: () => call('POST /v1/saved-views', { body: { name: name.trim(), query, isShared } }),
    onSuccess(view) {
      setName('')
      onSaved(view)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') save.mutate()
  }
  return (
    <Overlay title="Save this view" isOpen={isOpen} onClose={onClose}>
      <form className="form" onSubmit={submit}>
        <p className="muted-text">It keeps the filters, the columns and the order of the list.</p>
        <label className="field">
          Name
          {/* biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here */}
          <input value={name} onChange={({ target }) => setName(target.value)} maxLength={100} autoFocus />
        </label>
        <label className="check-field" title={shareDenial ?? undefined}>
          <input
            type="checkbox"
            checked={isShared}
            disabled={shareDenial !== null}
            onChange={({ target }) => setShared(target.checked)}
          />
          Share it with all members
          {shareDenial && <small className="hint">{shareDenial}</small>}
        </label>
        {save.error && (
          <p className="field-error" role="alert">
            Couldn’t save: {reasonOf(save.error)}
          </p>
        )}
        <div className="actions">
          <ActionButton
            type="submit"
            look="primary"
            isPending={save.isPending}
            isDisabled={name.trim() === ''}
          >
            Save
          </ActionButton>
          <ActionButton onPress={onClose}>Cancel</ActionButton>
        </div>
      </form>
    </Overlay>
  )
}

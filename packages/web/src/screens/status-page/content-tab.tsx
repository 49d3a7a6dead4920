// Name, address, and the tree of groups and services. Rows move by buttons, by Alt and arrow keys, and by dragging.
import { type KeyboardEvent, useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { useServices } from '../../api/pages.ts'
import { randomUuid } from '../../core/random-uuid.ts'
import { Choice, fieldId, TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import type { Form } from '../../forms/use-form.ts'
import { ActionButton, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import {
  branchOf,
  canMoveInto,
  depthOf,
  type EditedComponent,
  moveBy,
  moveTo,
  sorted,
  withoutBranch,
} from './component-tree.ts'
import type { PageValues } from './page-values.ts'

export function ContentTab({ form }: { form: Form<PageValues> }) {
  return (
    <>
      <div className="field-row">
        <TextInput form={form} path="name" label="Name" />
        <TextInput
          form={form}
          path="url"
          label="Address"
          isMono
          description={`${location.origin}${basePath}/s/${form.values.url}`}
        />
      </div>
      <TextArea
        form={form}
        path="description"
        label="Description"
        rows={2}
        emptyAs={null}
        description="Below the name of the page."
      />
      <Components form={form} />
      <Choice
        form={form}
        path="version"
        label="API version of the page"
        options={[
          { value: 3, label: '3: made of components' },
          { value: 2, label: '2: made of cards, for clients that replace the whole page' },
        ]}
        description="With version 2, clients must send the cards of the page each time. What visitors see is the same."
      />
    </>
  )
}

function Components({ form }: { form: Form<PageValues> }) {
  const { components } = form.values
  const [openId, setOpenId] = useState<string | null>(null)
  const [draggedId, setDraggedId] = useState<string | null>(null)
  const [overId, setOverId] = useState<string | null>(null)
  const [news, setNews] = useState('')
  const change = (next: EditedComponent[]) => form.set('components', next)
  const add = (values: Partial<EditedComponent> & Pick<EditedComponent, 'type'>) => {
    const id = randomUuid()
    const blank = { name: '', description: null, hidden: false, serviceId: null, parentId: null }
    const configuration = values.type === 'GROUP' ? { expandedByDefault: true } : { showHistoricalData: true }
    change(sorted([...components, { ...blank, configuration, ...values, id }]))
    setOpenId(id)
  }
  const step = (component: EditedComponent, by: 1 | -1) => {
    const next = moveBy(components, component.id, by)
    change(next)
    const siblings = next.filter(({ parentId }) => parentId === component.parentId)
    const position = siblings.findIndex(({ id }) => id === component.id) + 1
    setNews(`${component.name || 'It'} is number ${position} of ${siblings.length}.`)
  }
  /** On a group: into it. On a service: before it. */
  const drop = (target: EditedComponent) => {
    setOverId(null)
    if (draggedId === null || draggedId === target.id) return
    change(
      target.type === 'GROUP'
        ? moveTo(components, draggedId, target.id, null)
        : moveTo(components, draggedId, target.parentId, target.id),
    )
  }
  return (
    <fieldset className="field" id={fieldId('components')} tabIndex={-1}>
      <legend>Groups and services</legend>
      <p className="hint">
        In the order of the page. Move a row by its buttons, with Alt and the arrow keys, or by dragging.
      </p>
      <ul className="component-list">
        {components.map((component, index) => (
          <ComponentRow
            key={component.id}
            form={form}
            component={component}
            index={index}
            isOpen={openId === component.id || form.hasErrorBelow(`components.${index}`)}
            isOver={overId === component.id}
            onToggle={() => setOpenId(openId === component.id ? null : component.id)}
            onStep={(by) => step(component, by)}
            onRemove={() => change(withoutBranch(components, component.id))}
            onMoveInto={(groupId) => change(moveTo(components, component.id, groupId, null))}
            onDrag={setDraggedId}
            onOver={() => setOverId(component.id)}
            onDrop={() => drop(component)}
          />
        ))}
      </ul>
      {components.length === 0 && <p className="muted-text">The page shows no services yet.</p>}
      <div className="actions">
        <AddService
          shownIds={components.flatMap(({ serviceId }) => serviceId ?? [])}
          onAdd={(serviceId, name) =>
            add({ type: 'SERVICE', serviceId, name, parentId: lastGroup(components) })
          }
        />
        <ActionButton onPress={() => add({ type: 'SERVICE', parentId: lastGroup(components) })}>
          New service
        </ActionButton>
        <ActionButton onPress={() => add({ type: 'GROUP' })}>New group</ActionButton>
      </div>
      <p className="unseen" role="status">
        {news}
      </p>
    </fieldset>
  )
}

/** Where people most likely want what they add. */
function lastGroup(components: readonly EditedComponent[]): string | null {
  return components.findLast(({ type }) => type === 'GROUP')?.id ?? null
}

interface AddServiceProps {
  shownIds: readonly string[]
  onAdd(serviceId: string, name: string): void
}

function AddService({ shownIds, onAdd }: AddServiceProps) {
  const { data = [] } = useServices()
  const others = data.filter(({ id }) => !shownIds.includes(id))
  return (
    <label className="check-box">
      <span className="unseen">Add a service of the account</span>
      <select
        value=""
        disabled={others.length === 0}
        onChange={({ target }) => {
          const service = others.find(({ id }) => id === target.value)
          if (service !== undefined) onAdd(service.id, service.name)
        }}
      >
        <option value="">{others.length === 0 ? 'No other services' : 'Add a service…'}</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ComponentRowProps {
  form: Form<PageValues>
  component: EditedComponent
  index: number
  isOpen: boolean
  isOver: boolean
  onToggle(): void
  onStep(by: 1 | -1): void
  onRemove(): void
  onMoveInto(groupId: string | null): void
  onDrag(id: string | null): void
  onOver(): void
  onDrop(): void
}

function ComponentRow(props: ComponentRowProps) {
  const { form, component, index, isOpen, isOver } = props
  const { components } = form.values
  const { id, type, hidden } = component
  const isGroup = type === 'GROUP'
  const name = component.name || (isGroup ? 'New group' : 'New service')
  const inside = branchOf(components, id).length - 1
  const siblings = components.filter(({ parentId }) => parentId === component.parentId)
  const position = siblings.findIndex((one) => one.id === id)
  const path = `components.${index}`
  const handleKey = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    props.onStep(event.key === 'ArrowUp' ? -1 : 1)
  }
  const className = [
    'component-row',
    `level-${depthOf(components, id) - 1}`,
    ...(isOver ? ['over'] : []),
  ].join(' ')
  return (
    <li
      className={className}
      onKeyDown={handleKey}
      onDragOver={(event) => {
        event.preventDefault()
        props.onOver()
      }}
      onDrop={(event) => {
        event.preventDefault()
        props.onDrop()
      }}
    >
      <div className="component-line">
        <span
          className="grip"
          aria-hidden="true"
          draggable
          onDragStart={() => props.onDrag(id)}
          onDragEnd={() => props.onDrag(null)}
        >
          <Icon name="menu" />
        </span>
        <span className={isGroup ? 'component-name cut group-name' : 'component-name cut'}>
          {name}
          {isGroup && <span className="muted-text"> · group</span>}
          {hidden && <span className="muted-text"> · hidden</span>}
        </span>
        <IconButton label={`Move ${name} up`} isDisabled={position === 0} onPress={() => props.onStep(-1)}>
          <Icon name="up" />
        </IconButton>
        <IconButton
          label={`Move ${name} down`}
          isDisabled={position === siblings.length - 1}
          onPress={() => props.onStep(1)}
        >
          <Icon name="down" />
        </IconButton>
        <ActionButton
          look="quiet"
          onPress={props.onToggle}
          aria-expanded={isOpen}
          aria-label={`Edit ${name}`}
        >
          Edit
        </ActionButton>
        <IconButton
          label={inside > 0 ? `Remove ${name} and the ${inside} in it` : `Remove ${name}`}
          onPress={props.onRemove}
        >
          <Icon name="close" />
        </IconButton>
      </div>
      {isOpen && (
        <div className="component-fields">
          <div className="field-row">
            <TextInput
              form={form}
              path={`${path}.name`}
              label={isGroup ? 'Name of the group' : 'Name of the service'}
            />
            <div className="field">
              <label htmlFor={`${fieldId(path)}-group`}>In the group</label>
              <select
                id={`${fieldId(path)}-group`}
                value={component.parentId ?? ''}
                onChange={({ target }) => props.onMoveInto(target.value === '' ? null : target.value)}
              >
                <option value="">None: on the page itself</option>
                {components
                  .filter((one) => one.type === 'GROUP' && canMoveInto(components, id, one.id))
                  .map((group) => (
                    <option key={group.id} value={group.id}>
                      {group.name || 'New group'}
                    </option>
                  ))}
              </select>
            </div>
          </div>
          <TextInput form={form} path={`${path}.description`} label="Description" emptyAs={null} />
          <Toggle
            form={form}
            path={`${path}.hidden`}
            label="Hidden"
            description="Visitors see neither it, nor what is in it, nor incidents that touch nothing else."
          />
          {isGroup ? (
            <Toggle
              form={form}
              path={`${path}.configuration.expandedByDefault`}
              label="Open on the page"
              description="A group with a problem inside is always open."
            />
          ) : (
            <Toggle
              form={form}
              path={`${path}.configuration.showHistoricalData`}
              label="Show 90 days and the uptime"
            />
          )}
        </div>
      )}
    </li>
  )
}

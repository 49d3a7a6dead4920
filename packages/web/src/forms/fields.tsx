// The fields of forms. Each shows and changes the value at its path; native controls, so that phones offer their own.
import { type ReactNode, useId, useState } from 'react'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { OptionBoxes } from '../parts/option-boxes.tsx'
import type { Form } from './use-form.ts'
import { valueAt } from './values.ts'

export interface FieldBasics {
  // biome-ignore lint/suspicious/noExplicitAny: a field reads one value, whatever the whole form has
  form: Form<any>
  path: string
  label: string
  description?: ReactNode
  isDisabled?: boolean
}

/** Where the summary of errors leads to. */
export function fieldId(path: string): string {
  return `field-${path.replaceAll('.', '-')}`
}

/** Label, control, description and error, linked for screen readers. */
function Frame({
  form,
  path,
  label,
  description,
  children,
}: FieldBasics & { children(ids: ControlProps): ReactNode }) {
  const error = form.errorAt(path)
  const id = fieldId(path)
  const described = [description ? `${id}-hint` : '', error === null ? '' : `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error !== null,
        ...(described === '' ? {} : { 'aria-describedby': described }),
      })}
      {description && (
        <p id={`${id}-hint`} className="hint">
          {description}
        </p>
      )}
      {error !== null && (
        <p id={`${id}-error`} className="field-error">
          {sentence(error)}
        </p>
      )}
    </div>
  )
}

interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby'?: string
}

interface TextProps extends FieldBasics {
  type?: 'text' | 'url' | 'email' | 'password' | 'date' | 'datetime-local' | 'time' | 'color'
  placeholder?: string
  /** The value of an empty field; absent: an empty text. */
  emptyAs?: null
  isMono?: boolean
  autoComplete?: string
}

export function TextInput({
  type = 'text',
  placeholder,
  isMono = false,
  autoComplete = 'off',
  ...field
}: TextProps) {
  const { form, path, isDisabled = false } = field
  return (
    <Frame {...field}>
      {(control) => (
        <input
          {...control}
          type={type}
          className={isMono ? 'mono' : ''}
          value={textOf(valueAt(form.values, path))}
          onChange={({ target }) =>
            form.set(path, target.value === '' && field.emptyAs === null ? null : target.value)
          }
          onBlur={() => form.leave(path)}
          disabled={isDisabled}
          autoComplete={autoComplete}
          placeholder={placeholder}
        />
      )}
    </Frame>
  )
}

export function TextArea({ rows = 4, placeholder, isMono = false, ...field }: TextProps & { rows?: number }) {
  const { form, path, isDisabled = false } = field
  return (
    <Frame {...field}>
      {(control) => (
        <textarea
          {...control}
          className={isMono ? 'mono' : ''}
          rows={rows}
          spellCheck={!isMono}
          value={textOf(valueAt(form.values, path))}
          onChange={({ target }) =>
            form.set(path, target.value === '' && field.emptyAs === null ? null : target.value)
          }
          onBlur={() => form.leave(path)}
          disabled={isDisabled}
          placeholder={placeholder}
        />
      )}
    </Frame>
  )
}

/** What the API accepts as "the stored secret stays". */
const storedSecret = '***'

/** Shows that a secret is stored, not which. Without new text, the stored one stays. */
export function SecretInput({ placeholder, type = 'password', ...field }: TextProps) {
  const { form, path, isDisabled = false, emptyAs, label } = field
  const value = valueAt(form.values, path)
  const isStored = value === storedSecret
  return (
    <Frame {...field}>
      {(control) => (
        <span className="with-unit secret">
          <input
            {...control}
            type={type}
            className="mono"
            value={isStored ? '' : textOf(value)}
            onChange={({ target }) =>
              form.set(path, target.value === '' ? (valueAt(form.base, path) ?? '') : target.value)
            }
            onBlur={() => form.leave(path)}
            disabled={isDisabled}
            autoComplete={type === 'password' ? 'new-password' : 'off'}
            placeholder={isStored ? 'Stored. Type to replace it.' : placeholder}
          />
          {isStored && emptyAs === null && !isDisabled && (
            <button type="button" className="button" onClick={() => form.set(path, null)}>
              Remove<span className="unseen"> {label}</span>
            </button>
          )}
        </span>
      )}
    </Frame>
  )
}

interface NumberProps extends FieldBasics {
  unit?: string
  min?: number
  max?: number
  step?: number | 'any'
}

/** An empty field is null. */
export function NumberInput({ unit, min, max, step = 1, ...field }: NumberProps) {
  const { form, path, isDisabled = false } = field
  return (
    <Frame {...field}>
      {(control) => (
        <span className="with-unit">
          <input
            {...control}
            type="number"
            inputMode="decimal"
            min={min}
            max={max}
            step={step}
            value={textOf(valueAt(form.values, path))}
            onChange={({ target }) => form.set(path, target.value === '' ? null : Number(target.value))}
            onBlur={() => form.leave(path)}
            disabled={isDisabled}
          />
          {unit && <span className="muted-text">{unit}</span>}
        </span>
      )}
    </Frame>
  )
}

/** What is chosen from: resources with an id and a name. */
export function optionsOf<V>(list: readonly { id: V; name: string }[] = []): Option<V>[] {
  return list.map(({ id, name }) => ({ value: id, label: name }))
}

export interface Option<V = string | number | boolean | null> {
  value: V
  label: string
}

export function Choice<V>({ options, ...field }: FieldBasics & { options: readonly Option<V>[] }) {
  const { form, path, isDisabled = false } = field
  const value = valueAt(form.values, path)
  const index = options.findIndex((option) => option.value === value)
  return (
    <Frame {...field}>
      {(control) => (
        <select
          {...control}
          value={index}
          onChange={({ target }) => form.set(path, options[Number(target.value)]?.value)}
          onBlur={() => form.leave(path)}
          disabled={isDisabled}
        >
          {index === -1 && (
            <option value={-1}>{value === undefined || value === null ? 'Choose…' : String(value)}</option>
          )}
          {options.map(({ value: one, label }, at) => (
            <option key={String(one)} value={at}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Frame>
  )
}

export function Toggle({ form, path, label, description, isDisabled = false }: FieldBasics) {
  const id = fieldId(path)
  const error = form.errorAt(path)
  return (
    <div className="field toggle">
      <label className="check-box">
        <input
          id={id}
          type="checkbox"
          checked={valueAt(form.values, path) === true}
          onChange={({ target }) => form.set(path, target.checked)}
          disabled={isDisabled}
          aria-describedby={description ? `${id}-hint` : undefined}
        />
        {label}
      </label>
      {description && (
        <p id={`${id}-hint`} className="hint">
          {description}
        </p>
      )}
      {error !== null && <p className="field-error">{sentence(error)}</p>}
    </div>
  )
}

/** Checkboxes; the value is the list of those chosen, in the order of the options. */
export function ManyOf<V>({ options, ...field }: FieldBasics & { options: readonly Option<V>[] }) {
  const { form, path, label, description, isDisabled = false } = field
  const value = valueAt(form.values, path)
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  const error = form.errorAt(path)
  const id = fieldId(path)
  return (
    <fieldset className="field many" id={id} tabIndex={-1} disabled={isDisabled}>
      <legend>{label}</legend>
      {description && <p className="hint">{description}</p>}
      <OptionBoxes
        label={label}
        options={options}
        isChosen={(one) => chosen.includes(one)}
        onToggle={(one, isChosen) => {
          const next = new Set(chosen)
          if (isChosen) next.add(one)
          else next.delete(one)
          const known = options.map(({ value }) => value).filter((known) => next.has(known))
          const others = chosen.filter((other) => !options.some(({ value }) => value === other))
          form.set(path, [...others, ...known])
        }}
      />
      {error !== null && <p className="field-error">{sentence(error)}</p>}
    </fieldset>
  )
}

/** A list of short texts, such as tags: Enter or a comma adds one. */
export function WordList({
  placeholder,
  suggestions = [],
  ...field
}: TextProps & { suggestions?: readonly string[] }) {
  const { form, path, label, isDisabled = false } = field
  const [text, setText] = useState('')
  const listId = useId()
  const value = valueAt(form.values, path)
  const words: readonly string[] = Array.isArray(value) ? value : []
  const add = (typed: string) => {
    const added = typed
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '' && !words.includes(word))
    if (added.length > 0) form.set(path, [...words, ...new Set(added)])
    setText('')
  }
  return (
    <Frame {...field}>
      {(control) => (
        <div className="word-list">
          {words.map((word) => (
            <span key={word} className="word">
              {word}
              <IconButton
                label={`Remove ${word} from ${label}`}
                isDisabled={isDisabled}
                onPress={() =>
                  form.set(
                    path,
                    words.filter((one) => one !== word),
                  )
                }
              >
                <Icon name="close" />
              </IconButton>
            </span>
          ))}
          <input
            {...control}
            value={text}
            list={suggestions.length > 0 ? listId : undefined}
            placeholder={words.length === 0 ? placeholder : undefined}
            autoComplete="off"
            disabled={isDisabled}
            onChange={({ target }) =>
              target.value.endsWith(',') ? add(target.value) : setText(target.value)
            }
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault()
                add(text)
              } else if (event.key === 'Backspace' && text === '' && words.length > 0)
                form.set(path, words.slice(0, -1))
            }}
            onBlur={() => {
              add(text)
              form.leave(path)
            }}
          />
          <datalist id={listId}>
            {suggestions.map((word) => (
              <option key={word} value={word} />
            ))}
          </datalist>
        </div>
      )}
    </Frame>
  )
}

interface RowsProps<R> extends FieldBasics {
  /** What "Add" appends. */
  newRow: () => R
  /** The label of the button: `Add header`. */
  addLabel: string
  /** The fields of a row, by the path of the row. */
  children: (rowPath: string, index: number) => ReactNode
  max?: number
}

/** A list of objects, one row of fields each. */
export function Rows<R>({
  form,
  path,
  label,
  description,
  newRow,
  addLabel,
  children,
  max,
  isDisabled = false,
}: RowsProps<R>) {
  const value = valueAt(form.values, path)
  const rows: readonly unknown[] = Array.isArray(value) ? value : []
  const error = form.errorAt(path)
  return (
    <fieldset className="field rows" id={fieldId(path)} tabIndex={-1} disabled={isDisabled}>
      <legend>{label}</legend>
      {description && <p className="hint">{description}</p>}
      {rows.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity; their fields show the values at this index
        <div key={index} className="row-fields">
          {children(`${path}.${index}`, index)}
          <IconButton
            label={`Remove row ${index + 1} of ${label}`}
            onPress={() =>
              form.set(
                path,
                rows.filter((_row, at) => at !== index),
              )
            }
          >
            <Icon name="close" />
          </IconButton>
        </div>
      ))}
      {error !== null && <p className="field-error">{sentence(error)}</p>}
      {(max === undefined || rows.length < max) && (
        <button type="button" className="button" onClick={() => form.set(path, [...rows, newRow()])}>
          {addLabel}
        </button>
      )}
    </fieldset>
  )
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

/** The messages of schemas go on after the name of the field: “must be a URL”. */
function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

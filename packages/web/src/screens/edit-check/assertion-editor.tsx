// Assertions as rows. Sources and comparisons are those of the type.
import type { AssertionOption } from '@vedette/contracts'
import { expectationOf } from '../../core/assertion-words.ts'
import type { SuggestedAssertion } from '../../core/suggest-assertions.ts'
import { Choice, type FieldBasics, fieldId, Rows, TextInput } from '../../forms/fields.tsx'
import { isSame, valueAt } from '../../forms/values.ts'
import { Icon } from '../../parts/icon.tsx'
import { listAt } from './parts.ts'

const comparisonLabels: Record<string, string> = {
  EQUALS: 'equals',
  NOT_EQUALS: 'doesn’t equal',
  HAS_KEY: 'has the key',
  NOT_HAS_KEY: 'doesn’t have the key',
  HAS_VALUE: 'has the value',
  NOT_HAS_VALUE: 'doesn’t have the value',
  IS_EMPTY: 'is empty',
  NOT_EMPTY: 'isn’t empty',
  GREATER_THAN: 'is greater than',
  LESS_THAN: 'is less than',
  CONTAINS: 'contains',
  NOT_CONTAINS: 'doesn’t contain',
  IS_NULL: 'is null',
  NOT_NULL: 'isn’t null',
}

const withoutTarget = ['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL']

const propertyLabels: Record<AssertionOption['kind'], string | null> = {
  number: null,
  json: 'JSONPath',
  text: 'Regular expression',
  headers: 'Name',
  latency: 'Which',
}

interface AssertionEditorProps {
  form: FieldBasics['form']
  path: string
  options: readonly AssertionOption[]
  /** From the last response. */
  suggestions?: readonly SuggestedAssertion[]
}

export function AssertionEditor({ form, path, options, suggestions = [] }: AssertionEditorProps) {
  const [first] = options
  if (first === undefined) return null
  const rows = listAt(valueAt(form.values, path))
  const missing = suggestions.filter((one) => !rows.some((row) => isSameAssertion(row, one)))
  return (
    <>
      <Rows
        form={form}
        path={path}
        label="Assertions"
        addLabel="Add assertion"
        newRow={() => newAssertion(first)}
        max={200}
      >
        {(row) => <AssertionRow form={form} path={row} options={options} />}
      </Rows>
      {missing.length > 0 && (
        <section aria-label="Suggested assertions">
          <p className="hint">Suggested by the last response:</p>
          <div className="suggestions">
            {missing.map((suggestion) => (
              <button
                key={expectationOf(suggestion)}
                type="button"
                className="chip"
                onClick={() => form.set(path, [...rows, suggestion])}
              >
                <Icon name="plus" />
                {expectationOf(suggestion)}
              </button>
            ))}
          </div>
        </section>
      )}
    </>
  )
}

function AssertionRow({ form, path, options }: Omit<AssertionEditorProps, 'suggestions'>) {
  const source = valueAt(form.values, `${path}.source`)
  const option = options.find((one) => one.source === source) ?? options[0]
  if (option === undefined) return null
  const propertyLabel = propertyLabels[option.kind] ?? (option.properties ? 'Which' : null)
  const hasTarget = !withoutTarget.includes(String(valueAt(form.values, `${path}.comparison`)))
  return (
    <>
      <div className="field">
        <label htmlFor={fieldId(`${path}.source`)}>Source</label>
        <select
          id={fieldId(`${path}.source`)}
          value={String(source)}
          onChange={({ target }) => {
            const next = options.find((one) => one.source === target.value)
            if (next !== undefined) form.set(path, newAssertion(next))
          }}
        >
          {options.map(({ source: value, name, kind }) => (
            <option key={value} value={value}>
              {labelOf(name, kind, options)}
            </option>
          ))}
        </select>
      </div>
      {propertyLabel !== null &&
        (option.properties ? (
          <Choice
            form={form}
            path={`${path}.property`}
            label={propertyLabel}
            options={[
              ...(option.kind === 'latency' ? [{ value: '', label: 'avg' }] : []),
              ...option.properties.map((value) => ({ value, label: value })),
            ].filter(({ label }, index, all) => all.findIndex((one) => one.label === label) === index)}
          />
        ) : (
          <TextInput
            form={form}
            path={`${path}.property`}
            label={propertyLabel}
            placeholder={option.kind === 'json' ? '$.items[0].id' : ''}
            isMono
          />
        ))}
      <Choice
        form={form}
        path={`${path}.comparison`}
        label="Comparison"
        options={option.comparisons.map((value) => ({ value, label: comparisonLabels[value] ?? value }))}
      />
      {hasTarget && (
        <TextInput
          form={form}
          path={`${path}.target`}
          label={option.unit === undefined ? 'Value' : `Value (${option.unit})`}
          isMono
        />
      )}
    </>
  )
}

/** `Status code`. The DNS response is text and JSON: both have the same name. */
function labelOf(name: string, kind: AssertionOption['kind'], options: readonly AssertionOption[]): string {
  const words = name.replace(/^the /, '')
  const label = words.charAt(0).toUpperCase() + words.slice(1)
  const isAlone = options.filter((one) => one.name === name).length === 1
  return isAlone ? label : `${label} (${kind === 'json' ? 'JSON' : 'text'})`
}

function newAssertion({ source, kind, comparisons, properties }: AssertionOption): SuggestedAssertion {
  const isTime = source === 'RESPONSE_TIME' || kind === 'latency'
  return {
    source,
    property: properties?.[0] ?? '',
    comparison: isTime ? 'LESS_THAN' : (comparisons[0] ?? 'EQUALS'),
    target: source === 'STATUS_CODE' ? '200' : '',
    regex: '',
  }
}

function isSameAssertion(row: unknown, suggestion: SuggestedAssertion): boolean {
  const { source, property, comparison, target } = Object(row)
  return isSame(
    [source, property ?? '', comparison, target ?? ''],
    [suggestion.source, suggestion.property, suggestion.comparison, suggestion.target],
  )
}

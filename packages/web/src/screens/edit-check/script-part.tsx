// The script of a browser or multi-step check.
import { Choice, TextInput } from '../../forms/fields.tsx'
import { valueAt } from '../../forms/values.ts'
import { listAt, type PartProps } from './parts.ts'
import { ScriptField } from './script-field.tsx'
import { templatesOf } from './type-words.ts'

export function ScriptPart({ form, type }: PartProps) {
  const files = listAt(valueAt(form.values, 'dependencies'))
  const isBlank = String(form.values.script ?? '').trim() === ''
  return (
    <>
      {isBlank && (
        <div className="template-list">
          <span className="muted-text">Begin with a template:</span>
          {templatesOf(type.type).map(({ id, title, sentence, script }) => (
            <button
              key={id}
              type="button"
              className="button"
              title={sentence}
              onClick={() => form.set('script', script)}
            >
              {title}
            </button>
          ))}
        </div>
      )}
      <ScriptField form={form} path="script" label="Script" isTall />
      {files.length > 0 && (
        <p className="muted-text">
          With {files.length} {files.length === 1 ? 'file' : 'files'} that it imports:{' '}
          {files.map((file) => String(Object(file).path)).join(', ')}. They come from a deployment.
        </p>
      )}
      <div className="field-row">
        <Choice
          form={form}
          path="keepEvidence"
          label="Keep trace and screenshot"
          options={[
            { value: 'FAILING', label: 'Of failing runs' },
            { value: 'ALWAYS', label: 'Of all runs' },
          ]}
        />
        {type.has('sslCheckDomain') && (
          <TextInput
            form={form}
            path="sslCheckDomain"
            label="Watch the certificate of"
            placeholder="example.com"
            emptyAs={null}
          />
        )}
      </div>
    </>
  )
}

import { Link } from 'wouter'
import { useServices } from '../../api/pages.ts'
import { fieldId, optionsOf } from '../../forms/fields.tsx'
import type { Form } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { OptionBoxes } from '../../parts/option-boxes.tsx'

interface ServiceChoiceProps {
  // biome-ignore lint/suspicious/noExplicitAny: several forms have a list of services
  form: Form<any>
  path: string
  label?: string
}

/** Checkboxes; the value is a list of `{ id }`, as the API has it. */
export function ServiceChoice({ form, path, label = 'Affected services' }: ServiceChoiceProps) {
  const { data } = useServices()
  const value = valueAt(form.values, path)
  const chosen: readonly string[] = Array.isArray(value) ? value.map(({ id }) => String(id)) : []
  const error = form.errorAt(path)
  const toggle = (id: string, isChosen: boolean) => {
    const next = isChosen ? [...chosen, id] : chosen.filter((one) => one !== id)
    form.set(
      path,
      next.map((one) => ({ id: one })),
    )
  }
  return (
    <fieldset className="field many" id={fieldId(path)} tabIndex={-1}>
      <legend>{label}</legend>
      {data?.length === 0 && (
        <p className="hint">
          There are none yet. <Link href="/services">Create a service</Link> first.
        </p>
      )}
      <OptionBoxes
        label={label}
        options={optionsOf(data)}
        isChosen={(id) => chosen.includes(id)}
        onToggle={toggle}
      />
      {error !== null && <p className="field-error">Choose at least one service.</p>}
    </fieldset>
  )
}

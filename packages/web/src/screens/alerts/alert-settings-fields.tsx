// When people are notified: the fields that checks, groups and the account share.
import { Choice, type FieldBasics, Toggle } from '../../forms/fields.tsx'
import { valueAt } from '../../forms/values.ts'
import {
  intervalOptions,
  minuteOptions,
  percentOptions,
  reminderOptions,
  runOptions,
} from './alert-settings-words.ts'

type AlertSettingsFieldsProps = Pick<FieldBasics, 'form' | 'path' | 'isDisabled'>

const escalationOptions = [
  { value: 'RUN_BASED', label: 'A number of failed runs' },
  { value: 'TIME_BASED', label: 'A time of failing' },
] as const

/** `path` is that of the alert settings in the form: `alertSettings`. */
export function AlertSettingsFields({ form, path, isDisabled = false }: AlertSettingsFieldsProps) {
  const field = (name: string) => ({ form, path: `${path}.${name}`, isDisabled })
  const read = (name: string) => valueAt(form.values, `${path}.${name}`)
  return (
    <>
      <div className="field-row">
        <Choice {...field('escalationType')} label="Notify after" options={escalationOptions} />
        {read('escalationType') === 'TIME_BASED' ? (
          <Choice
            {...field('timeBasedEscalation.minutesFailingThreshold')}
            label="How long"
            options={minuteOptions}
          />
        ) : (
          <Choice {...field('runBasedEscalation.failedRunThreshold')} label="How many" options={runOptions} />
        )}
      </div>
      <div className="field-row">
        <Choice {...field('reminders.amount')} label="Reminders" options={reminderOptions} />
        <Choice
          {...field('reminders.interval')}
          label="How often"
          options={intervalOptions}
          isDisabled={isDisabled || read('reminders.amount') === 0}
        />
      </div>
      <Toggle
        {...field('parallelRunFailureThreshold.enabled')}
        label="Only if several locations fail"
        description="For checks that run in all their locations at the same time."
      />
      {read('parallelRunFailureThreshold.enabled') === true && (
        <Choice
          {...field('parallelRunFailureThreshold.percentage')}
          label="At least"
          options={percentOptions}
        />
      )}
    </>
  )
}

// A text field with its label, its description and its error.
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'

interface FieldProps {
  label: string
  name: string
  type?: 'text' | 'email' | 'password' | 'url'
  autoComplete?: string
  description?: string
  /** From the server. */
  error?: string | null
  minLength?: number
  defaultValue?: string
  placeholder?: string
  autoFocus?: boolean
}

export function Field({
  label,
  description,
  error = null,
  placeholder,
  autoFocus = false,
  ...props
}: FieldProps) {
  return (
    <TextField
      {...props}
      isRequired
      isInvalid={error !== null}
      validationBehavior="aria"
      className="field"
      autoFocus={autoFocus}
    >
      <Label>{label}</Label>
      <Input {...(placeholder === undefined ? {} : { placeholder })} />
      {description && (
        <Text slot="description" className="hint">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </TextField>
  )
}

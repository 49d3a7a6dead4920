// What the parts of a check form share.
import type { CheckFields, TypeForm } from '../../forms/schemas/check.ts'
import type { Form } from '../../forms/use-form.ts'

export interface PartProps {
  form: Form<CheckFields>
  type: TypeForm
  /** Absent: it isn't stored yet. */
  checkId?: string
  /** Of a stored heartbeat monitor. */
  pingUrl: string | null
}

export const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

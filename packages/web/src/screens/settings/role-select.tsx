import { useId } from 'react'
import { roleNames } from '../../api/session.tsx'
import { grantableRoles, roleDescriptions } from './roles.ts'

/** A field of a form, by the name `role`. */
export function RoleSelect() {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>Role</label>
      <select id={id} name="role" defaultValue="READ_ONLY">
        {grantableRoles.map((role) => (
          <option key={role} value={role}>
            {roleNames[role]}: {roleDescriptions[role]}
          </option>
        ))}
      </select>
    </div>
  )
}

import {
  ApiError,
  createVariable,
  deleteVariable,
  getVariable,
  invalidInput,
  listVariables,
  type Role,
  roleAllows,
  updateVariable,
  type Variable,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as variables from '../../storage/checks/variables.ts'
import { transact, violatedUnique } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

export function variableRoutes({ store, vault, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listVariables, async ({ account, query }) => {
      const { items, total } = await variables.listVariables(db, vault, account.id, query)
      return { items: items.map((row) => serializeVariable(row, account.role)), total }
    }),
    handle(getVariable, async ({ account, params }) => {
      return serializeVariable(
        orNotFound(await variables.findVariable(db, vault, account.id, params.key)),
        account.role,
      )
    }),
    handle(createVariable, async ({ account, body }) => {
      try {
        await variables.insertVariable(db, vault, account.id, body)
      } catch (error) {
        if (violatedUnique(error) === null) throw error
        throw new ApiError('key_taken', { attributes: { key: 'is taken already' } })
      }
      return body
    }),
    handle(updateVariable, ({ account, params, body }) =>
      transact(db, async (tx) => {
        const stored = orNotFound(
          await variables.findVariable(tx, vault, account.id, params.key, { lock: true }),
        )
        if (stored.secret && body.secret === false) {
          throw invalidInput([{ path: ['secret'], message: 'cannot be turned off: a secret stays secret' }])
        }
        const changed = {
          value: body.value ?? stored.value,
          locked: body.locked ?? stored.locked,
          secret: body.secret ?? stored.secret,
        }
        const updated_at = new Date(clock.now())
        await variables.updateVariable(tx, vault, account.id, stored.key, { ...changed, updated_at })
        const shown = changed.secret ? (body.value ?? null) : changed.value
        return { key: stored.key, ...changed, value: shown }
      }),
    ),
    handle(deleteVariable, async ({ account, params }) => {
      if (!(await variables.deleteVariable(db, account.id, params.key))) throw new ApiError('not_found')
    }),
  ]
}

function serializeVariable(row: variables.VariableRow, role: Role): z.output<typeof Variable> {
  const isHidden = row.secret || (row.locked && !roleAllows(role, 'READ_WRITE'))
  return { key: row.key, value: isHidden ? null : row.value, locked: row.locked, secret: row.secret }
}

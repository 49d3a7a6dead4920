import {
  ApiError,
  createVariable,
  deleteVariable,
  getVariable,
  isCli,
  listVariables,
  listVariableUses,
  type Role,
  roleAllows,
  updateVariable,
  type Variable,
} from '@vedette/contracts'
import type { z } from 'zod'
import { addVariable, changeVariable } from '../../checks/change-variables.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as uses from '../../storage/checks/uses.ts'
import * as variables from '../../storage/checks/variables.ts'
import { transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

/** In one response to a client that knows no pages. */
const mostVariables = 10_000

export function variableRoutes({ store, vault, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listVariables, async ({ account, query, request }) => {
      const isUnpaged = isCli(request.headers) && !request.url.includes('?')
      const page = isUnpaged ? { page: 1, limit: mostVariables } : query
      const { items, total } = await variables.listVariables(db, vault, account.id, page)
      return { items: items.map((row) => serializeVariable(row, account.role)), total }
    }),
    handle(getVariable, async ({ account, params }) => {
      return serializeVariable(
        orNotFound(await variables.findVariable(db, vault, account.id, params.key)),
        account.role,
      )
    }),
    handle(listVariableUses, async ({ account, params }) => {
      const { key } = orNotFound(await variables.findVariable(db, vault, account.id, params.key))
      return uses.listVariableUses(db, account.id, key)
    }),
    handle(createVariable, async ({ account, body }) => {
      await transact(db, (tx) => addVariable(tx, { accountId: account.id, vault, clock }, body))
      return body
    }),
    handle(updateVariable, ({ account, params, body }) =>
      transact(db, (tx) => changeVariable(tx, { accountId: account.id, vault, clock }, params.key, body)),
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

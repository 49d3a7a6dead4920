import {
  ApiError,
  type CheckType,
  type CheckValues,
  checkRoutesOf,
  checkTypeNames,
  createCheck,
  deleteCheck,
  getCheck,
  listChecks,
  updateCheck,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as checks from '../../storage/checks/checks.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { parseOrThrow } from '../transport/validate.ts'
import { createCheckOf, updateCheckOf } from './change-check.ts'
import { serializeChecks, withGroupSettings } from './serialize-check.ts'

export function checkRoutes(deps: Deps): Mounted[] {
  const { store } = deps
  return [
    handle(listChecks, async ({ account, query }) => {
      const { items, total } = await checks.listChecks(store, account.id, query)
      const own = await serializeChecks(deps, account, items)
      return { items: query.applyGroupSettings ? await withGroupSettings(deps, account, own) : own, total }
    }),
    handle(getCheck, async ({ account, params, query }) => {
      const row = orNotFound(await checks.findCheck(store, account.id, params.id, query))
      const own = orNotFound((await serializeChecks(deps, account, [row]))[0] ?? null)
      if (!query.applyGroupSettings) return own
      const [effective = own] = await withGroupSettings(deps, account, [own])
      return effective
    }),
    handle(deleteCheck, async ({ account, params }) => {
      if (!(await checks.deleteCheck(store.db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(createCheck, ({ account, query, body, warn }) =>
      createCheckOf(deps, account, body.checkType, body, { ...query, warn }),
    ),
    handle(updateCheck, ({ account, params, body, judgeFieldsBy, asked, warn }) => {
      const read = (type: CheckType) => {
        judgeFieldsBy(checkRoutesOf[type].update)
        return parseOrThrow(checkRoutesOf[type].update.body as z.ZodType<CheckValues>, body)
      }
      return updateCheckOf(deps, account, params.id, read, { raw: asked.body, warn })
    }),
    ...checkTypeNames.flatMap((type) => routesOfType(deps, type)),
  ]
}

function routesOfType(deps: Deps, type: CheckType): Mounted[] {
  const { create, update } = checkRoutesOf[type]
  return [
    handle(create, ({ account, query, body, warn }) =>
      createCheckOf(deps, account, type, body as CheckValues, { ...query, warn }),
    ),
    handle(update, ({ account, params, body, asked, warn }) => {
      const read = (stored: CheckType) => {
        // The path names a type: under it there is no check of another.
        if (stored !== type) throw new ApiError('not_found')
        return body as CheckValues
      }
      return updateCheckOf(deps, account, params.id, read, { raw: asked.body, warn })
    }),
  ] as Mounted[]
}

import { ApiError, invalidInput, PrivateLocationInput, roleAllows } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import {
  createPrivateLocationWithKey,
  removePrivateLocation,
  sealProxyUrl,
} from '../../runs/private-locations.ts'
import { lockPrivateLocation, updatePrivateLocation } from '../../storage/runs/private-locations.ts'
import { type DeployContext, each, type ResourceKind, readWith } from './kind.ts'

export const privateLocationKind: ResourceKind<z.output<typeof PrivateLocationInput>> = {
  read: (payload) => readWith(PrivateLocationInput, payload),
  create: (tx, context, items) =>
    each(items, async ({ input }) => {
      requireAdmin(context)
      return (await createPrivateLocationWithKey(tx, context, input)).row.id
    }),
  async update(tx, context, items) {
    const { accountId, vault, clock } = context
    await each(items, async ({ input, physicalId }) => {
      requireAdmin(context)
      const stored = orNotFound(await lockPrivateLocation(tx, accountId, String(physicalId)))
      if (stored.slug_name !== input.slugName) {
        const message = `can't change from "${stored.slug_name}": checks name the location by it. Use another logical id`
        throw invalidInput([{ path: ['slugName'], message }])
      }
      await updatePrivateLocation(tx, accountId, stored.id, {
        name: input.name,
        icon: input.icon,
        proxy_url: input.proxyUrl && sealProxyUrl(vault, accountId, input.proxyUrl),
        updated_at: new Date(clock.now()),
      })
    })
    return undefined
  },
  async remove(tx, context, items) {
    await each(items, async ({ physicalId }) => {
      requireAdmin(context)
      await removePrivateLocation(tx, context.accountId, String(physicalId))
    })
  },
}

function requireAdmin({ role }: DeployContext): void {
  if (roleAllows(role, 'ADMIN')) return
  const message = 'Private locations can only be changed with a key that has the role ADMIN.'
  throw new ApiError('forbidden', { message })
}

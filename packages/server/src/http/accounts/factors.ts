import {
  beginPasskeyRegistration,
  beginTotpEnrollment,
  createPasskey,
  deletePasskey,
  finishTotpEnrollment,
  getFactors,
  type Identity,
  type Passkey,
  renamePasskey,
  replaceRecoveryCodes,
  turnOffTotp,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as passkeys from '../../accounts/passkeys.ts'
import * as secondFactor from '../../accounts/second-factor.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { type IdentityRow, listIdentities } from '../../storage/accounts/identities.ts'
import {
  findPasskey,
  listPasskeys,
  type PasskeyRow,
  updatePasskeyName,
} from '../../storage/accounts/passkeys.ts'
import { findPasswordHash } from '../../storage/accounts/passwords.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { requirePasskeys, signedInOf, signInParts } from './signed-in.ts'

export function factorRoutes(deps: Deps): Mounted[] {
  const { config, keys } = deps
  const { db } = deps.store
  const parts = signInParts(deps)
  return [
    handle(getFactors, async ({ principal }) => {
      const userId = userOf(principal)
      const hasPassword = (await findPasswordHash(db, userId)) !== null
      const rows = await listPasskeys(db, userId)
      const identities = await listIdentities(db, userId)
      return {
        hasPassword,
        totp: await secondFactor.readTotp(db, userId),
        passkeys: rows.map(serializePasskey),
        identities: identities.map(serializeIdentity),
      }
    }),
    handle(beginTotpEnrollment, async ({ principal }) => {
      return secondFactor.beginTotpEnrollment(parts, signedInOf(principal).userId)
    }),
    handle(finishTotpEnrollment, async ({ principal, body }) => {
      const recoveryCodes = await secondFactor.finishTotpEnrollment(parts, signedInOf(principal), body.code)
      keys.forget()
      return { recoveryCodes }
    }),
    handle(turnOffTotp, async ({ principal }) => {
      await secondFactor.turnOffTotp(parts, signedInOf(principal))
      keys.forget()
    }),
    handle(replaceRecoveryCodes, async ({ principal }) => {
      const recoveryCodes = await secondFactor.replaceCodes(parts, signedInOf(principal))
      keys.forget()
      return { recoveryCodes }
    }),
    handle(beginPasskeyRegistration, async ({ principal }) => {
      return passkeys.beginPasskeyRegistration(parts, requirePasskeys(config), signedInOf(principal).userId)
    }),
    handle(createPasskey, async ({ principal, body }) => {
      const owner = signedInOf(principal)
      const row = await passkeys.addPasskey(parts, requirePasskeys(config), owner, body)
      keys.forget()
      return serializePasskey(row)
    }),
    handle(renamePasskey, async ({ principal, params, body }) => {
      orNotFound(await findPasskey(db, userOf(principal), params.id))
      const { userId } = signedInOf(principal)
      return serializePasskey(orNotFound(await updatePasskeyName(db, userId, params.id, body.name)))
    }),
    handle(deletePasskey, async ({ principal, params }) => {
      orNotFound(await findPasskey(db, userOf(principal), params.id))
      await passkeys.removePasskey(parts, signedInOf(principal), params.id)
      keys.forget()
    }),
  ]
}

function serializeIdentity(row: IdentityRow): z.output<typeof Identity> {
  return {
    id: row.id,
    issuer: row.issuer,
    email: row.email,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

function serializePasskey(row: PasskeyRow): z.output<typeof Passkey> {
  return { id: row.id, name: row.name, createdAt: row.created_at, lastUsedAt: row.last_used_at }
}

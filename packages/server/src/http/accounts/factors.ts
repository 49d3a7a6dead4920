import {
  beginTotpEnrollment,
  finishTotpEnrollment,
  getFactors,
  replaceRecoveryCodes,
  turnOffTotp,
} from '@vedette/contracts'
import * as secondFactor from '../../accounts/second-factor.ts'
import { findPasswordHash } from '../../storage/accounts/passwords.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { signedInOf, signInParts } from './signed-in.ts'

export function factorRoutes(deps: Deps): Mounted[] {
  const { keys } = deps
  const { db } = deps.store
  const parts = signInParts(deps)
  return [
    handle(getFactors, async ({ principal }) => {
      const userId = userOf(principal)
      const hasPassword = (await findPasswordHash(db, userId)) !== null
      return { hasPassword, totp: await secondFactor.readTotp(db, userId) }
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
  ]
}

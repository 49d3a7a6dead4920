import { getAccountForCli, getMeForCli, listAccountsForCli } from '@vedette/contracts'
import { findAccount, listAccounts } from '../../storage/accounts.ts'
import { actIn } from '../acting.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { presentAccount } from '../present-account.ts'
import { presentIdentity } from '../present-caller.ts'

export function cliProtocolRoutes({ store }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listAccountsForCli, async ({ principal }) => {
      return (await listAccounts(db, [...principal.roles.keys()])).map(presentAccount)
    }),
    handle(getAccountForCli, async ({ principal, params }) => {
      return presentAccount(found(await findAccount(db, actIn(principal, params.accountId).id)))
    }),
    handle(getMeForCli, async ({ principal }) => presentIdentity(db, principal)),
  ]
}

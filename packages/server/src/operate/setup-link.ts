import { publicUrl } from '../core/public-url.ts'
import { findFirstOwner, listAllAccounts } from '../storage/accounts/installation.ts'
import { insertOneTimeLink } from '../storage/accounts/one-time-links.ts'
import { type Command, type Input, OperatorError, type Output } from './command.ts'
import { withStore } from './connect.ts'

export const setupLinkCommands: Record<string, Command> = {
  'setup-link': {
    usage: 'setup-link',
    summary: 'prints a link by which the owner of the first account chooses name, email and password',
    run: printLink,
  },
}

async function printLink({ config }: Input): Promise<Output> {
  const { owner, token } = await withStore(config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      const [account] = await listAllAccounts(tx)
      const owner = account === undefined ? null : await findFirstOwner(tx, account.id)
      if (owner === null)
        throw new OperatorError('There is no owner yet: vedette users set-role --role OWNER makes one.')
      const link = { kind: 'setup' as const, userId: owner.id, now: Date.now() }
      return { owner, token: await insertOneTimeLink(tx, link) }
    }),
  )
  const link = `${publicUrl(config)}/setup#${token}`
  return {
    json: { email: owner.email, link },
    text: `For ${owner.email}, once, within 24 hours; earlier setup links no longer work:\n\n  ${link}\n`,
  }
}

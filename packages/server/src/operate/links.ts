import { revokeLinks } from '../storage/core/signed-links.ts'
import type { Answer, Command, Input } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount } from './existing.ts'
import { readId } from './values.ts'

export const linkCommands: Record<string, Command> = {
  'links revoke': {
    usage: 'links revoke [--account ID]',
    summary: 'ends every link to results, sessions and analyses that was sent so far',
    options: { account: { type: 'string' } },
    run: revoke,
  },
}

async function revoke(input: Input): Promise<Answer> {
  const given = input.text('account')
  const accountId = given === undefined ? null : readId(given, 'an account')
  const accounts = await withStore(input.config, {}, async ({ db }) => {
    if (accountId !== null) await getExistingAccount(db, accountId)
    return revokeLinks(db, accountId)
  })
  const whose = accountId === null ? 'all accounts' : `account ${accountId}`
  return {
    json: { accountId, accounts },
    text: `Links of ${whose} that were sent so far no longer open. New messages carry new links.`,
  }
}

import { revokeLinks } from '../storage/core/signed-links.ts'
import type { Command, Input, Output } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount } from './existing.ts'
import { readId } from './values.ts'

export const linkCommands: Record<string, Command> = {
  'links revoke': {
    usage: 'links revoke [--account ID]',
    summary: 'revokes all links to results, sessions and analyses that were sent so far',
    options: { account: { type: 'string' } },
    run: revoke,
  },
}

async function revoke(input: Input): Promise<Output> {
  const given = input.text('account')
  const accountId = given === undefined ? null : readId(given, 'an account')
  const accounts = await withStore(input.config, {}, async ({ db }) => {
    if (accountId !== null) await getExistingAccount(db, accountId)
    return revokeLinks(db, accountId)
  })
  const owner = accountId === null ? 'all accounts' : `account ${accountId}`
  return {
    json: { accountId, accounts },
    text: `Links of ${owner} that were sent so far no longer work. New messages contain new links.`,
  }
}

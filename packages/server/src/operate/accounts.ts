import { updateAccount } from '../storage/accounts/accounts.ts'
import { insertUserKey, type NewKey } from '../storage/accounts/api-keys.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import {
  deleteAccount,
  findOrInsertUser,
  listAllAccounts,
  putMembership,
} from '../storage/accounts/installation.ts'
import { type Answer, type Command, type Input, OperatorError } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount } from './existing.ts'
import { keyNotice } from './keys.ts'
import { table } from './table.ts'
import { readEmail, readId, readName, readPlan, required, word } from './values.ts'

export const accountCommands: Record<string, Command> = {
  'accounts list': {
    usage: 'accounts list',
    summary: 'every account, its plan, members and checks',
    run: list,
  },
  'accounts create': {
    usage: 'accounts create --name NAME [--plan PLAN] [--owner-email EMAIL]',
    summary: 'a new account; with an owner (made or found) and a key for them',
    options: { name: { type: 'string' }, plan: { type: 'string' }, 'owner-email': { type: 'string' } },
    run: create,
  },
  'accounts set-plan': {
    usage: 'accounts set-plan ID PLAN',
    summary: 'another plan: self-hosted, hobby, starter, team or CONTRACT',
    words: 2,
    run: (input) => update(input, { plan: readPlan(word(input, 1)) }),
  },
  'accounts rename': {
    usage: 'accounts rename ID NAME',
    summary: 'another name',
    words: 2,
    run: (input) => update(input, { name: readName(word(input, 1)) }),
  },
  'accounts delete': {
    usage: 'accounts delete ID --yes',
    summary: 'an account and everything in it, for good',
    options: { yes: { type: 'boolean' } },
    words: 1,
    run: remove,
  },
}

async function list({ config }: Input): Promise<Answer> {
  const accounts = await withStore(config, {}, ({ db }) => listAllAccounts(db))
  const rows = accounts.map(({ id, name, plan, members, checks, created_at }) => {
    return [id, name, plan, members, checks, created_at]
  })
  const text = table(['ID', 'NAME', 'PLAN', 'MEMBERS', 'CHECKS', 'CREATED'], rows, 'There is no account.')
  return { json: accounts, text }
}

async function create(input: Input): Promise<Answer> {
  const name = readName(required(input, 'name'))
  const plan = input.text('plan') === undefined ? undefined : readPlan(required(input, 'plan'))
  const email =
    input.text('owner-email') === undefined ? undefined : readEmail(required(input, 'owner-email'))
  return withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      const account = await createAccount(tx, name, plan)
      const json = { id: account.id, name: account.name, plan: account.plan }
      const said = `Account ${account.id} (${account.name}, plan ${account.plan}) is made.`
      if (email === undefined) {
        const hint = `vedette users set-role --account ${account.id} --email EMAIL --role OWNER`
        return { json, text: `${said}\nIt has no owner yet: vedette users create, then ${hint}` }
      }
      const owner = await findOrInsertUser(tx, email, null)
      await putMembership(tx, account.id, owner.id, 'OWNER')
      const key: NewKey = await insertUserKey(tx, owner.id, `Owner of ${name}`)
      return {
        json: {
          ...json,
          owner: { id: owner.id, email: owner.email },
          key: { id: key.id, rawKey: key.rawKey },
        },
        text: `${said}\nIts owner is ${owner.email}.\n${keyNotice(key)}`,
      }
    }),
  )
}

async function update(input: Input, values: { plan: string } | { name: string }): Promise<Answer> {
  const id = readId(word(input, 0), 'an account')
  const { name, plan } = await withStore(input.config, {}, async ({ db }) => {
    const account = await updateAccount(db, id, { ...values, updated_at: new Date() })
    return account ?? getExistingAccount(db, id)
  })
  return { json: { id, name, plan }, text: `Account ${id}: name ${name}, plan ${plan}.` }
}

async function remove(input: Input): Promise<Answer> {
  const id = readId(word(input, 0), 'an account')
  return withStore(input.config, {}, async ({ db }) => {
    const account = await getExistingAccount(db, id)
    if (!input.flag('yes')) {
      throw new OperatorError(
        `This deletes "${account.name}" with all its checks and results for good: add --yes.`,
      )
    }
    await deleteAccount(db, id)
    return {
      json: { id, deleted: true },
      text: `Account ${id} (${account.name}) is deleted. Its users are kept.`,
    }
  })
}

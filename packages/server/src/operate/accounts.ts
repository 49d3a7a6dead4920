import { planIds } from '@vedette/contracts'
import { updateAccount } from '../storage/accounts/accounts.ts'
import { insertUserKey, type NewKey } from '../storage/accounts/api-keys.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import {
  deleteAccount,
  findOrInsertUser,
  listAllAccounts,
  putMembership,
} from '../storage/accounts/installation.ts'
import { type Command, type Input, OperatorError, type Output } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount } from './existing.ts'
import { keyNotice } from './keys.ts'
import { formatTable } from './table.ts'
import { argumentAt, readEmail, readId, readName, readPlan, requireOption } from './values.ts'

export const accountCommands: Record<string, Command> = {
  'accounts list': {
    usage: 'accounts list',
    summary: 'lists all accounts with their plan, members and checks',
    run: list,
  },
  'accounts create': {
    usage: 'accounts create --name NAME [--plan PLAN] [--owner-email EMAIL]',
    summary: 'creates an account, with an owner (new or existing) and a key for them',
    options: {
      name: { type: 'string' },
      plan: { type: 'string', values: planIds },
      'owner-email': { type: 'string' },
    },
    run: create,
  },
  'accounts set-plan': {
    usage: 'accounts set-plan ID PLAN',
    summary: 'changes the plan: self-hosted, hobby, starter, team or CONTRACT',
    words: 2,
    run: (input) => update(input, { plan: readPlan(argumentAt(input, 1)) }),
  },
  'accounts rename': {
    usage: 'accounts rename ID NAME',
    summary: 'changes the name',
    words: 2,
    run: (input) => update(input, { name: readName(argumentAt(input, 1)) }),
  },
  'accounts delete': {
    usage: 'accounts delete ID --yes',
    summary: 'deletes an account and all its data permanently',
    options: { yes: { type: 'boolean' } },
    words: 1,
    run: remove,
  },
}

async function list({ config }: Input): Promise<Output> {
  const accounts = await withStore(config, {}, ({ db }) => listAllAccounts(db))
  const rows = accounts.map(({ id, name, plan, members, checks, created_at }) => {
    return [id, name, plan, members, checks, created_at]
  })
  const text = formatTable(
    ['ID', 'NAME', 'PLAN', 'MEMBERS', 'CHECKS', 'CREATED'],
    rows,
    'There is no account.',
  )
  return { json: accounts, text }
}

async function create(input: Input): Promise<Output> {
  const name = readName(requireOption(input, 'name'))
  const plan = input.text('plan') === undefined ? undefined : readPlan(requireOption(input, 'plan'))
  const email =
    input.text('owner-email') === undefined ? undefined : readEmail(requireOption(input, 'owner-email'))
  return withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      const account = await createAccount(tx, name, plan)
      const json = { id: account.id, name: account.name, plan: account.plan }
      const created = `Created account ${account.id} (${account.name}, plan ${account.plan}).`
      if (email === undefined) {
        const hint = `vedette users set-role --account ${account.id} --email EMAIL --role OWNER`
        return { json, text: `${created}\nIt has no owner yet: run vedette users create, then ${hint}` }
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
        text: `${created}\nIts owner is ${owner.email}.\n${keyNotice(key)}`,
      }
    }),
  )
}

async function update(input: Input, values: { plan: string } | { name: string }): Promise<Output> {
  const id = readId(argumentAt(input, 0), 'an account')
  const { name, plan } = await withStore(input.config, {}, async ({ db }) => {
    const account = await updateAccount(db, id, { ...values, updated_at: new Date() })
    return account ?? getExistingAccount(db, id)
  })
  return { json: { id, name, plan }, text: `Account ${id}: name ${name}, plan ${plan}.` }
}

async function remove(input: Input): Promise<Output> {
  const id = readId(argumentAt(input, 0), 'an account')
  return withStore(input.config, {}, async ({ db }) => {
    const account = await getExistingAccount(db, id)
    if (!input.flag('yes')) {
      throw new OperatorError(
        `This deletes "${account.name}" with all its checks and results permanently: add --yes.`,
      )
    }
    await deleteAccount(db, id)
    return {
      json: { id, deleted: true },
      text: `Deleted account ${id} (${account.name}). Its users still exist.`,
    }
  })
}

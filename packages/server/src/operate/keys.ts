import { insertServiceKey, insertUserKey, type NewKey } from '../storage/accounts/api-keys.ts'
import {
  deleteAnyKey,
  findFirstOwner,
  listAllAccounts,
  listAllKeys,
} from '../storage/accounts/installation.ts'
import type { UserRow } from '../storage/accounts/users.ts'
import type { Db } from '../storage/core/db.ts'
import { type Answer, type Command, type Input, OperatorError, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount, getExistingUser } from './existing.ts'
import { table } from './table.ts'
import { readEmail, readId, readName, readRole, required, word } from './values.ts'

export const keyCommands: Record<string, Command> = {
  'keys list': {
    usage: 'keys list [--account ID]',
    summary: 'every API key, masked; or those that reach one account',
    options: { account: { type: 'string' } },
    run: list,
  },
  'keys create': {
    usage: 'keys create [--email EMAIL | --account ID --role ROLE] [--name NAME]',
    summary: 'a key for a user, or a service key; alone: for the first owner of the only account',
    options: {
      email: { type: 'string' },
      account: { type: 'string' },
      role: { type: 'string' },
      name: { type: 'string' },
    },
    run: create,
  },
  'keys revoke': {
    usage: 'keys revoke KEY_ID',
    summary: 'ends a key',
    words: 1,
    run: revoke,
  },
}

/** The server remembers keys and roles for five seconds (http/transport/key-cache.ts). */
export const takenUp = 'A running server takes this up within 5 seconds.'

export function keyNotice(key: NewKey): string {
  return `\n  API key  ${key.rawKey}\n\nKeep it: it is shown only this once.`
}

async function list(input: Input): Promise<Answer> {
  const account = input.text('account')
  const accountId = account === undefined ? undefined : readId(account, 'an account')
  const keys = await withStore(input.config, {}, async ({ db }) => {
    if (accountId !== undefined) await getExistingAccount(db, accountId)
    return listAllKeys(db, accountId)
  })
  const json = keys.map((key) => ({
    id: key.id,
    kind: key.account_id === null ? 'user' : 'service',
    name: key.name,
    maskedKey: key.masked_key,
    email: key.email,
    accountId: key.account_id,
    role: key.role,
    created_at: key.created_at,
    lastUsedAt: key.last_used_at,
  }))
  const rows = json.map((key) => {
    const holder = key.email ?? `${key.role} in ${key.accountId}`
    return [key.id, key.maskedKey, key.kind, holder, key.name, key.lastUsedAt ?? 'never']
  })
  return { json, text: table(['ID', 'KEY', 'KIND', 'OF', 'NAME', 'LAST USED'], rows, 'There is no key.') }
}

async function create(input: Input): Promise<Answer> {
  const isService = input.text('account') !== undefined || input.text('role') !== undefined
  if (isService && input.text('email') !== undefined) {
    throw new UsageError('A key is either for a user (--email) or for an account (--account and --role).')
  }
  return isService ? createServiceKey(input) : createUserKey(input)
}

async function createServiceKey(input: Input): Promise<Answer> {
  const accountId = readId(required(input, 'account'), 'an account')
  const role = readRole(required(input, 'role'))
  const name = readName(input.text('name') ?? `${role} service key`)
  const key = await withStore(input.config, {}, async ({ db }) => {
    await getExistingAccount(db, accountId)
    return insertServiceKey(db, accountId, role, name)
  })
  return {
    json: {
      id: key.id,
      kind: 'service',
      name,
      accountId,
      role,
      maskedKey: key.maskedKey,
      rawKey: key.rawKey,
    },
    text: `A service key, ${role} in ${accountId}:\n${keyNotice(key)}`,
  }
}

async function createUserKey(input: Input): Promise<Answer> {
  const given = input.text('email')
  const email = given === undefined ? undefined : readEmail(given)
  const name = readName(input.text('name') ?? 'Made by the operator')
  return withStore(input.config, {}, async ({ db }) => {
    const user = email === undefined ? await getOnlyOwner(db) : await getExistingUser(db, email)
    const key = await insertUserKey(db, user.id, name)
    return {
      json: {
        id: key.id,
        kind: 'user',
        name,
        email: user.email,
        maskedKey: key.maskedKey,
        rawKey: key.rawKey,
      },
      text: `A key for ${user.email}, with all their roles:\n${keyNotice(key)}`,
    }
  })
}

async function getOnlyOwner(db: Db): Promise<UserRow> {
  const [account, ...others] = await listAllAccounts(db)
  if (account === undefined) throw new OperatorError('There is no account yet: start the server once first.')
  if (others.length > 0) {
    throw new OperatorError(
      'There are several accounts: say whose key with --email (vedette users list shows them).',
    )
  }
  const owner = await findFirstOwner(db, account.id)
  if (owner === null)
    throw new OperatorError(`Account ${account.id} has no owner: say whose key with --email.`)
  return owner
}

async function revoke(input: Input): Promise<Answer> {
  const id = readId(word(input, 0), 'a key')
  if (!(await withStore(input.config, {}, ({ db }) => deleteAnyKey(db, id)))) {
    throw new OperatorError(`There is no key ${id}: vedette keys list shows them.`)
  }
  return { json: { id, revoked: true }, text: `Key ${id} is revoked. ${takenUp}` }
}

import { roles } from '@vedette/contracts'
import { insertServiceKey, insertUserKey, type NewKey } from '../storage/accounts/api-keys.ts'
import {
  deleteAnyKey,
  findFirstOwner,
  listAllAccounts,
  listAllKeys,
} from '../storage/accounts/installation.ts'
import type { UserRow } from '../storage/accounts/users.ts'
import type { Db } from '../storage/core/db.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount, getExistingUser } from './existing.ts'
import { formatTable } from './table.ts'
import { argumentAt, readEmail, readId, readName, readRole, requireOption } from './values.ts'

export const keyCommands: Record<string, Command> = {
  'keys list': {
    usage: 'keys list [--account ID]',
    summary: 'lists all API keys, masked; or those with access to one account',
    options: { account: { type: 'string' } },
    run: list,
  },
  'keys create': {
    usage: 'keys create [--email EMAIL | --account ID --role ROLE] [--name NAME]',
    summary:
      'creates a key for a user, or a service key; without options, for the first owner of the only account',
    options: {
      email: { type: 'string' },
      account: { type: 'string' },
      role: { type: 'string', values: roles },
      name: { type: 'string' },
    },
    run: create,
  },
  'keys revoke': {
    usage: 'keys revoke KEY_ID',
    summary: 'revokes a key',
    words: 1,
    run: revoke,
  },
}

/** The server caches keys and roles for five seconds (http/transport/key-cache.ts). */
export const cacheNotice = 'A running server notices within 5 seconds.'

export function keyNotice(key: NewKey): string {
  return `\n  API key  ${key.rawKey}\n\nKeep it: it is shown only once.`
}

async function list(input: Input): Promise<Output> {
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
  return {
    json,
    text: formatTable(['ID', 'KEY', 'KIND', 'OF', 'NAME', 'LAST USED'], rows, 'There is no key.'),
  }
}

async function create(input: Input): Promise<Output> {
  const isService = input.text('account') !== undefined || input.text('role') !== undefined
  if (isService && input.text('email') !== undefined) {
    throw new UsageError('A key is either for a user (--email) or for an account (--account and --role).')
  }
  return isService ? createServiceKey(input) : createUserKey(input)
}

async function createServiceKey(input: Input): Promise<Output> {
  const accountId = readId(requireOption(input, 'account'), 'an account')
  const role = readRole(requireOption(input, 'role'))
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

async function createUserKey(input: Input): Promise<Output> {
  const given = input.text('email')
  const email = given === undefined ? undefined : readEmail(given)
  const name = readName(input.text('name') ?? 'Created by the operator')
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
      'There are several accounts: name the user with --email (vedette users list shows them).',
    )
  }
  const owner = await findFirstOwner(db, account.id)
  if (owner === null)
    throw new OperatorError(`Account ${account.id} has no owner: name the user with --email.`)
  return owner
}

async function revoke(input: Input): Promise<Output> {
  const id = readId(argumentAt(input, 0), 'a key')
  if (!(await withStore(input.config, {}, ({ db }) => deleteAnyKey(db, id)))) {
    throw new OperatorError(`There is no key ${id}: vedette keys list shows them.`)
  }
  return { json: { id, revoked: true }, text: `Revoked key ${id}. ${cacheNotice}` }
}

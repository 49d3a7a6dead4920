import { randomUUID } from 'node:crypto'
import { type Role, roles } from '@vedette/contracts'
import { publicUrl } from '../core/public-url.ts'
import {
  deleteMembership,
  findRole,
  listAllUsers,
  listOwnersForUpdate,
  putMembership,
} from '../storage/accounts/installation.ts'
import { insertOneTimeLink } from '../storage/accounts/one-time-links.ts'
import { deletePasskeys } from '../storage/accounts/passkeys.ts'
import { deleteTotp, findTotp } from '../storage/accounts/second-factors.ts'
import { deleteChallenges } from '../storage/accounts/sign-in-challenges.ts'
import { deleteSignIns } from '../storage/accounts/sign-ins.ts'
import { insertUser, type UserRow, updateUser } from '../storage/accounts/users.ts'
import { type Db, violatedUnique } from '../storage/core/db.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount, getExistingUser } from './existing.ts'
import { cacheNotice } from './keys.ts'
import { formatTable } from './table.ts'
import { argumentAt, readEmail, readId, readName, readRole, requireOption } from './values.ts'

export const userCommands: Record<string, Command> = {
  'users list': {
    usage: 'users list',
    summary: 'lists all users and their roles',
    run: list,
  },
  'users create': {
    usage: 'users create --email EMAIL [--name NAME] [--account ID --role ROLE]',
    summary: 'creates a user; vedette keys create gives them a key',
    options: {
      email: { type: 'string' },
      name: { type: 'string' },
      account: { type: 'string' },
      role: { type: 'string', values: roles },
    },
    run: create,
  },
  'users set-role': {
    usage: 'users set-role --account ID --email EMAIL --role ROLE',
    summary: 'sets their role in an account: READ_ONLY, READ_RUN, READ_WRITE, ADMIN or OWNER',
    options: {
      account: { type: 'string' },
      email: { type: 'string' },
      role: { type: 'string', values: roles },
    },
    run: setRole,
  },
  'users set-email': {
    usage: 'users set-email OLD NEW',
    summary: 'changes the address of a user, such as the owner created at the first start',
    words: 2,
    run: setEmail,
  },
  'users reset': {
    usage: 'users reset EMAIL [--remove-factors]',
    summary: 'prints a link by which they choose a new password; removes lost factors on request',
    words: 1,
    options: { 'remove-factors': { type: 'boolean' } },
    run: reset,
  },
  'users remove': {
    usage: 'users remove --account ID --email EMAIL',
    summary: 'removes a user from an account',
    options: { account: { type: 'string' }, email: { type: 'string' } },
    run: remove,
  },
}

async function list({ config }: Input): Promise<Output> {
  const users = await withStore(config, {}, ({ db }) => listAllUsers(db))
  const json = users.map(({ id, email, name, created_at, memberships }) => {
    return {
      id,
      email,
      name,
      created_at,
      accounts: memberships.map(({ id, name, role }) => ({ id, name, role })),
    }
  })
  const rows = json.map(({ id, email, name, accounts }) => {
    return [id, email, name, accounts.map((account) => `${account.role} in ${account.id}`).join(', ') || null]
  })
  return { json, text: formatTable(['ID', 'EMAIL', 'NAME', 'ROLES'], rows, 'There is no user.') }
}

async function create(input: Input): Promise<Output> {
  const email = readEmail(requireOption(input, 'email'))
  const name = input.text('name') === undefined ? null : readName(requireOption(input, 'name'))
  const isMember = input.text('account') !== undefined
  if (isMember !== (input.text('role') !== undefined))
    throw new UsageError('--account and --role go together.')
  const membership = isMember
    ? {
        accountId: readId(requireOption(input, 'account'), 'an account'),
        role: readRole(requireOption(input, 'role')),
      }
    : null
  const user = await withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      if (membership !== null) await getExistingAccount(tx, membership.accountId)
      const row = await insertUser(tx, { id: randomUUID(), email, name }).catch((error) => {
        if (violatedUnique(error) === null) throw error
        throw new OperatorError(`There is a user ${email} already: vedette users set-role gives them a role.`)
      })
      if (membership !== null) await putMembership(tx, membership.accountId, row.id, membership.role)
      return row
    }),
  )
  const json = { id: user.id, email: user.email, name: user.name }
  const role = membership === null ? '' : `, ${membership.role} in ${membership.accountId}`
  return {
    json: membership === null ? json : { ...json, accountId: membership.accountId, role: membership.role },
    text: `Created user ${user.email}${role}. For a key: vedette keys create --email ${user.email}`,
  }
}

async function setRole(input: Input): Promise<Output> {
  const role = readRole(requireOption(input, 'role'))
  const { accountId, user } = await changeMembership(input, async (tx, accountId, user) => {
    if (role !== 'OWNER') await requireAnotherOwner(tx, accountId, user)
    await putMembership(tx, accountId, user.id, role)
  })
  return {
    json: { accountId, userId: user.id, email: user.email, role },
    text: `${user.email} is ${role} in ${accountId}. ${cacheNotice}`,
  }
}

async function setEmail(input: Input): Promise<Output> {
  const [from, to] = [readEmail(argumentAt(input, 0)), readEmail(argumentAt(input, 1))]
  const user = await withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      const existing = await getExistingUser(tx, from)
      await updateUser(tx, existing.id, { email: to }).catch((error) => {
        if (violatedUnique(error) === null) throw error
        throw new OperatorError(`Another user already has the address ${to}.`)
      })
      return existing
    }),
  )
  return { json: { id: user.id, email: to }, text: `The address of ${user.email} is now ${to}.` }
}

async function reset(input: Input): Promise<Output> {
  const email = readEmail(argumentAt(input, 0))
  const isRemoval = input.flag('remove-factors')
  const { user, token, hasFactors } = await withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      const user = await getExistingUser(tx, email)
      if (isRemoval) await deleteFactors(tx, user.id)
      const token = await insertOneTimeLink(tx, { kind: 'reset', userId: user.id, now: Date.now() })
      return { user, token, hasFactors: await hasSecondFactor(tx, user.id) }
    }),
  )
  const link = `${publicUrl(input.config)}/reset#${token}`
  const notice = isRemoval
    ? `Their authenticator app, recovery codes and passkeys are removed, and they are signed out. ${cacheNotice}\n\n`
    : hasFactors
      ? 'They also need a code of their authenticator app or a recovery code. If both are lost: --remove-factors\n\n'
      : ''
  return {
    json: { email: user.email, link, hasFactors },
    text: `${notice}For ${user.email}, once, within 24 hours:\n\n  ${link}\n`,
  }
}

async function hasSecondFactor(tx: Db, userId: string): Promise<boolean> {
  return (await findTotp(tx, userId)) !== null
}

/** People who could still sign in with them are signed out. */
async function deleteFactors(tx: Db, userId: string): Promise<void> {
  await deleteTotp(tx, userId)
  await deletePasskeys(tx, userId)
  await deleteChallenges(tx, userId)
  await deleteSignIns(tx, userId, null)
}

async function remove(input: Input): Promise<Output> {
  const { accountId, user } = await changeMembership(input, async (tx, accountId, user) => {
    if ((await findRole(tx, accountId, user.id)) === null) {
      throw new OperatorError(`${user.email} is not a member of ${accountId}.`)
    }
    await requireAnotherOwner(tx, accountId, user)
    await deleteMembership(tx, accountId, user.id)
  })
  return {
    json: { accountId, userId: user.id, email: user.email, role: null satisfies Role | null },
    text: `${user.email} is no longer in ${accountId}. ${cacheNotice}`,
  }
}

async function changeMembership(
  input: Input,
  change: (tx: Db, accountId: string, user: UserRow) => Promise<void>,
): Promise<{ accountId: string; user: UserRow }> {
  const accountId = readId(requireOption(input, 'account'), 'an account')
  const email = readEmail(requireOption(input, 'email'))
  return withStore(input.config, {}, ({ db }) =>
    db.transaction().execute(async (tx) => {
      await getExistingAccount(tx, accountId)
      const user = await getExistingUser(tx, email)
      await change(tx, accountId, user)
      return { accountId, user }
    }),
  )
}

async function requireAnotherOwner(tx: Db, accountId: string, user: UserRow): Promise<void> {
  const owners = await listOwnersForUpdate(tx, accountId)
  if (owners.length !== 1 || owners[0] !== user.id) return
  throw new OperatorError(`${user.email} is the last OWNER of ${accountId}: make someone else OWNER first.`)
}

// What existing command-line clients ask first. Same answers as /v1, under the addresses that they call.
import { z } from 'zod'
import { Account, AccountInPath } from './accounts.ts'
import { route } from './route.ts'
import { Me } from './users.ts'

const tag = 'CLI'

export const listAccountsForCli = route({
  method: 'GET',
  path: '/next/accounts',
  tag,
  summary: 'List the accounts that the key reaches',
  access: 'key',
  status: 200,
  response: z.array(Account),
})

export const getAccountForCli = route({
  method: 'GET',
  path: '/next/accounts/{accountId}',
  tag,
  summary: 'Read an account',
  access: 'key',
  params: AccountInPath,
  status: 200,
  response: Account,
})

export const getMeForCli = route({
  method: 'GET',
  path: '/next/users/me',
  tag,
  summary: 'Who the key belongs to',
  access: 'key',
  status: 200,
  response: Me.omit({ accounts: true }).meta({ id: 'CliUser' }),
})

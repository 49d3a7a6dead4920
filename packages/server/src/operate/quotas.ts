import { deleteQuotas, listQuotas, putQuotas, type Quotas } from '../storage/accounts/quotas.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { getExistingAccount } from './existing.ts'
import { formatTable } from './table.ts'
import { readId } from './values.ts'

const limits = {
  'runs-per-minute': { type: 'string' },
  'code-seconds-per-hour': { type: 'string' },
  'artifact-mb': { type: 'string' },
} as const

/** In the store, so that all servers have the same. */
export const quotaCommands: Record<string, Command> = {
  'quotas list': {
    usage: 'quotas list',
    summary: 'lists the limits of accounts, and those of all others',
    run: list,
  },
  'quotas set': {
    usage: 'quotas set [--account ID] [--runs-per-minute N] [--code-seconds-per-hour N] [--artifact-mb N]',
    summary:
      'sets the limits of an account, or without --account those of all that have none of their own; what is left out has no limit',
    options: { account: { type: 'string' }, ...limits },
    run: set,
  },
  'quotas remove': {
    usage: 'quotas remove [--account ID]',
    summary:
      'removes the limits of an account, to which those of all accounts apply again; without --account removes those',
    options: { account: { type: 'string' } },
    run: remove,
  },
}

async function list({ config }: Input): Promise<Output> {
  const quotas = await withStore(config, {}, ({ pool }) => listQuotas(pool))
  const rows = quotas.map(({ accountId, accountName, runsPerMinute, codeSecondsPerHour, artifactBytes }) => [
    accountId ?? 'all others',
    accountName,
    runsPerMinute,
    codeSecondsPerHour,
    artifactBytes === null ? null : artifactBytes / bytesPerMb,
  ])
  const head = ['ACCOUNT', 'NAME', 'RUNS PER MINUTE', 'CODE SECONDS PER HOUR', 'ARTIFACT MB']
  return { json: quotas, text: formatTable(head, rows, 'No account has a limit.') }
}

const bytesPerMb = 1_000_000

async function set(input: Input): Promise<Output> {
  const accountId = accountOf(input)
  const artifactMb = readLimit(input, 'artifact-mb')
  const quotas: Quotas = {
    runsPerMinute: readLimit(input, 'runs-per-minute'),
    codeSecondsPerHour: readLimit(input, 'code-seconds-per-hour'),
    artifactBytes: artifactMb === null ? null : artifactMb * bytesPerMb,
  }
  if (accountId === null && Object.values(quotas).every((limit) => limit === null))
    throw new UsageError(
      `Name a limit: ${Object.keys(limits)
        .map((name) => `--${name}`)
        .join(', ')}.`,
    )
  await withStore(input.config, {}, async ({ db, pool }) => {
    if (accountId !== null) await getExistingAccount(db, accountId)
    await putQuotas(pool, accountId, quotas)
  })
  return { json: { accountId, ...quotas }, text: `Set. It applies to runs that begin from now on.` }
}

async function remove(input: Input): Promise<Output> {
  const accountId = accountOf(input)
  const isRemoved = await withStore(input.config, {}, ({ pool }) => deleteQuotas(pool, accountId))
  if (!isRemoved)
    throw new OperatorError(
      `${accountId === null ? 'There are no limits for all accounts' : `The account ${accountId} has no limits of its own`}: vedette quotas list shows them.`,
    )
  return { json: { accountId, removed: true }, text: 'Removed.' }
}

function accountOf(input: Input): string | null {
  const account = input.text('account')
  return account === undefined ? null : readId(account, 'an account')
}

const maxLimit = 2_000_000_000

function readLimit(input: Input, option: keyof typeof limits): number | null {
  const text = input.text(option)
  if (text === undefined) return null
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit > maxLimit)
    throw new UsageError(`--${option} must be a whole number from 0 to ${maxLimit}, not "${text}".`)
  return limit
}

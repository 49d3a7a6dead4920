// The first requests of existing command-line clients: the same responses as /v1, at the paths that they use.
import { z } from 'zod'
import { Timestamp } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { Account, AccountInPath } from './accounts.ts'
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

const StoredKey = z.object({ key: z.string() }).meta({ id: 'CliStoredFile' })

const StoredBundle = StoredKey.extend({
  contentLength: z.int().min(0).describe('Bytes'),
  checksumSha256: z.string().describe('64 hexadecimal digits in lower case'),
  lastModified: Timestamp,
}).meta({ id: 'CliCodeBundle' })

const storedKeyBody = z.object({ key: z.string().min(1).max(300) })

export const uploadCodeBundleForCli = route({
  method: 'POST',
  path: '/next/checkly-storage/upload-code-bundle',
  tag,
  summary: 'Upload the archive of a project',
  description: 'If the header x-bundle-checksum-sha256 is sent, an archive with another SHA-256 is refused.',
  access: 'READ_RUN',
  streamsBody: true,
  status: 200,
  response: StoredBundle,
})

export const peekCodeBundleForCli = route({
  method: 'POST',
  path: '/next/checkly-storage/peek-code-bundle',
  tag,
  summary: 'Size and checksum of an uploaded archive',
  access: 'READ_ONLY',
  body: storedKeyBody,
  example: { key: 'code-bundles/7e0b4a5c-9d5f-4b7e-8c43-2f1d8a6b9c01.tar.gz' },
  // Clients read it on every plan.
  changesNothing: true,
  status: 200,
  response: StoredBundle,
  errors: [404],
})

export const uploadFileForCli = route({
  method: 'POST',
  path: '/next/checkly-storage/upload',
  tag,
  summary: 'Upload a file, such as a snapshot to compare with',
  access: 'READ_RUN',
  streamsBody: true,
  status: 200,
  response: StoredKey,
})

export const downloadFileForCli = route({
  method: 'POST',
  path: '/next/checkly-storage/download',
  tag,
  summary: 'Download an uploaded file: the archive of a suite, or a snapshot',
  access: 'READ_ONLY',
  body: storedKeyBody,
  example: { key: 'snapshots/7e0b4a5c-9d5f-4b7e-8c43-2f1d8a6b9c01' },
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  contentType: 'application/octet-stream',
  errors: [404],
})

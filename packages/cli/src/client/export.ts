import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CodeBundle } from '@vedette/as-code/account-resources'
import { exportAccount, exportFormats } from '@vedette/as-code/export-account'
import { type Client, ClientError } from '@vedette/contracts'
import { type ClientCommand, type Input, type Output, UsageError } from '../core/client-command.ts'
import { openClient, readConnection } from '../core/connection.ts'
import { callServer } from '../core/server-calls.ts'
import { readArchives, unpackArchive } from './code-bundles.ts'
import { readAccount } from './read-account.ts'
import { replaceDirectory, requireWritable } from './replace-directory.ts'

export const exportCommand: ClientCommand = {
  usage: 'export [--format FORMAT] [--out DIR] [--force] [--url URL] [--account ID]',
  summary: 'writes the resources of the account as code, without secret values',
  options: {
    format: { type: 'string', summary: 'what to write (constructs)', values: exportFormats },
    out: { type: 'string', summary: 'the directory (vedette-export)' },
    force: { type: 'boolean', summary: 'replaces an earlier export; other files of the directory stay' },
    url: { type: 'string', summary: 'address of the server, if not that of the login' },
    account: { type: 'string', summary: 'id of the account, if not that of the login' },
  },
  run: exportResources,
}

async function exportResources({ settings, terminal, text, flag }: Input): Promise<Output> {
  const format = text('format') ?? 'constructs'
  if (!exportFormats.includes(format))
    throw new UsageError(`There is no format "${format}": use ${exportFormats.join(' or ')}.`)
  const directory = resolve(text('out') ?? 'vedette-export')
  requireWritable(directory, flag('force'))
  const connection = readConnection({ url: text('url'), account: text('account') }, settings)
  const progress = (line: string) => terminal.progress(line)
  const { resources, archives } = await callServer(connection.url, async () => {
    const account = await readAccount(retryLimited(openClient(connection)), progress)
    const downloads = retryLimited(openClient(connection, downloadTimeoutMs))
    return { resources: account, archives: await readArchives(downloads, account.checks, progress) }
  })
  const bundles = new Map<string, CodeBundle>()
  for (const [path, archive] of archives)
    bundles.set(path, { archive, files: await unpackArchive(archive, path) })
  const { files, secrets } = exportAccount(resources, format, bundles) ?? { files: [], secrets: [] }
  replaceDirectory(directory, files)
  const counts = Object.fromEntries(Object.entries(resources).map(([kind, all]) => [kind, all.length]))
  const variables = secrets.map(({ variable }) => variable)
  return {
    json: { directory, format, files: files.map(({ path }) => path), resources: counts, variables },
    text: [
      `Wrote ${files.length} files to ${directory}: README.md there says how to deploy them.`,
      ...(variables.length === 0 ? [] : [`${variables.length} secret values aren't part of it.`]),
    ].join('\n'),
  }
}

/** Of one archive. */
const downloadTimeoutMs = 600_000

const maxAttempts = 20
/** If the server doesn't say how long. */
const pauseMs = 5000

/** Large accounts take many requests: waits when there were too many. */
function retryLimited(client: Client): Client {
  return {
    async call(route, input) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await client.call(route, input)
        } catch (error) {
          const isLimited = error instanceof ClientError && error.status === 429
          if (!isLimited || attempt === maxAttempts) throw error
          await setTimeout(error.retryAfterMs ?? pauseMs)
        }
      }
    },
  }
}

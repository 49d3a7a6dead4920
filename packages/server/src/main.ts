// The server process: reads the settings, prints the welcome, handles signals.

import { inventedOwnerEmail, readConfig } from './config.ts'
import { createLog, ownLogFormat } from './core/log.ts'
import { type Server, startServer } from './server.ts'
import { askOwnerEmail } from './startup/ask-owner-email.ts'
import { releaseMemory } from './startup/release-memory.ts'
import { welcome } from './startup/welcome.ts'

const stopTimeoutMs = 20_000

async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.LOG_LEVEL, ownLogFormat(config.LOG_FORMAT))
  // The reader of stdout may exit; the server keeps running.
  process.stdout.on('error', () => undefined)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'bug.unhandled-rejection'))
  let isStopping = false
  let server: Server | undefined

  const stop = async (reason: string, exitCode: number): Promise<void> => {
    if (isStopping) return
    isStopping = true
    log.info({ reason }, 'server.stopping')
    const timeout = setTimeout(() => process.exit(1), stopTimeoutMs + config.STOP_DELAY_SECONDS * 1000)
    timeout.unref()
    await starting.catch(() => undefined)
    await server?.stop()
    log.info('Stopped.')
    process.exit(exitCode)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal, 0))
  // Set by scripts/start.sh, which has become this process: npm that is killed doesn't stop its children.
  const parent = process.ppid
  if (config.STOP_WITH_PARENT === 'on')
    setInterval(() => process.ppid !== parent && stop('parent gone', 0), 1_000).unref()

  const starting = startServer(config, log, (error) => {
    log.error({ err: error }, 'server.fatal')
    stop('fatal', 1)
  })
  server = await starting
  if (isStopping) return
  log.info({ address: server.address }, 'server.ready')
  process.stdout.write(welcome(server))
  releaseMemory()
  if (server.first?.owner.email === inventedOwnerEmail) await askOwnerEmail(server)
}

main().catch((error: Error) => {
  process.stderr.write(`\nVedette did not start. ${error.message}\n`)
  process.exit(1)
})

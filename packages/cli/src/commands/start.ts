import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

const usage = `Usage: vedette start

Starts the server. It is set up by environment variables, among them:
  PORT          where it listens (3000)
  DATA_DIR      the one folder where everything is kept (./data)
  DATABASE_URL  a PostgreSQL of your own instead of the embedded one
  PUBLIC_URL    the address that links begin with`

/**
 * As in scripts/start.sh. DNS lookups of alert channels use threads: lookups that time out must not block the others. The
 * settings of memory save 60 MB (measured).
 */
const defaults = {
  UV_THREADPOOL_SIZE: '32',
  MALLOC_ARENA_MAX: '2',
  NODE_OPTIONS: '--max-semi-space-size=4',
}

export function start(argv: string[], runProgram: RunProgram): Promise<number> | number {
  const [unknown] = argv.slice(1)
  if (unknown === '--help' || unknown === '-h') {
    console.log(usage)
    return 0
  }
  if (unknown !== undefined) {
    console.error(`vedette start: there is no option "${unknown}"\n\n${usage}`)
    return 2
  }
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/server/main')), [], defaults)
}

import { migrate } from '../storage/core/migrate.ts'
import type { Command, Input, Output } from './command.ts'
import { withStore } from './connect.ts'

export const migrateCommands: Record<string, Command> = {
  migrate: {
    usage: 'migrate',
    summary: 'brings the schema of the database up to date, and starts nothing',
    run: migrateSchema,
  },
}

async function migrateSchema({ config }: Input): Promise<Output> {
  // An empty database of DATABASE_URL gets its schema; an embedded one is never created by mistake.
  const schema = config.DATABASE_URL === undefined ? 'known' : 'any'
  const applied = await withStore(config, { schema }, ({ pool }) => migrate(pool))
  return {
    json: { applied },
    text: applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
  }
}

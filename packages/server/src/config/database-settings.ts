import { z } from 'zod'
import { DatabaseUrlError, databaseHostsOf } from './database-url.ts'
import { whole } from './fields.ts'

const databaseUrl = z.string().superRefine((url, context) => {
  try {
    databaseHostsOf(url)
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
})

/** The PostgreSQL behind everything. */
export const databaseSettings = {
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'URL of a PostgreSQL (15 or newer) to use instead of the embedded one; several hosts (a:5432,b:5432): the primary among them',
    ),
  DATABASE_POOLING: z
    .enum(['session', 'transaction'])
    .default('session')
    .describe('transaction: DATABASE_URL is a PgBouncer with pool_mode = transaction'),
  DATABASE_DIRECT_URL: databaseUrl
    .optional()
    .describe(
      'URL of the same database without PgBouncer, for migrations, locks and commands; required with DATABASE_POOLING=transaction',
    ),
  DATABASE_POOL_SIZE: whole(2, 500).default(20).describe('Connections to PostgreSQL'),
} satisfies Record<string, z.ZodType>

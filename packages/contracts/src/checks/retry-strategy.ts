import { z } from 'zod'

/** What follows a failed run. spec §2.2 doesn't list `type`, so its default is FIXED. */
export const RetryStrategy = z
  .object({
    type: z.enum(['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY']).default('FIXED'),
    baseBackoffSeconds: z.number().min(0).max(3600).default(60),
    sameRegion: z.boolean().default(true),
    maxRetries: z.int().min(1).max(10).optional(),
    maxDurationSeconds: z.number().min(0).max(600).optional(),
    onlyOn: z
      .preprocess(
        // Clients that describe checks in code send one name.
        (value) => (typeof value === 'string' ? [value] : value),
        z.array(z.enum(['NETWORK_ERROR'])).max(1),
      )
      .optional()
      .describe(
        'Only failures of this kind are retried; other types than API checks and URL monitors retry all',
      ),
  })
  .superRefine((strategy, issues) => {
    if (strategy.type !== 'SINGLE_RETRY') return
    for (const field of ['maxRetries', 'maxDurationSeconds'] as const) {
      if (strategy[field] === undefined) continue
      issues.addIssue({ code: 'custom', path: [field], message: 'must not be sent with SINGLE_RETRY' })
    }
  })
  // Not a transform: the document must still contain the shape.
  .overwrite((strategy) =>
    strategy.type === 'SINGLE_RETRY'
      ? strategy
      : {
          ...strategy,
          maxRetries: strategy.maxRetries ?? 2,
          maxDurationSeconds: strategy.maxDurationSeconds ?? 600,
        },
  )
  .meta({ id: 'RetryStrategy' })

export type RetryStrategy = z.output<typeof RetryStrategy>

import { z } from 'zod'
import { ignoredField } from '../core/fields.ts'

/** When people are notified: of a check, a group or the whole account (spec §2.3). */
export const AlertSettings = z
  .object({
    escalationType: z.enum(['RUN_BASED', 'TIME_BASED']).default('RUN_BASED'),
    runBasedEscalation: z
      .object({ failedRunThreshold: z.literal([1, 2, 3, 4, 5]).default(1) })
      .default({ failedRunThreshold: 1 }),
    timeBasedEscalation: z
      .object({ minutesFailingThreshold: z.literal([5, 10, 15, 30]).default(5) })
      .default({ minutesFailingThreshold: 5 }),
    reminders: z
      .object({
        // 100000 means "until it recovers".
        amount: z.literal([0, 1, 2, 3, 4, 5, 100_000]).default(0),
        interval: z.literal([1, 2, 3, 4, 5, 10, 15, 30]).default(5).describe('Minutes'),
      })
      .default({ amount: 0, interval: 5 }),
    parallelRunFailureThreshold: z
      .object({
        enabled: z.boolean().default(false),
        percentage: z.literal([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]).default(10),
      })
      .default({ enabled: false, percentage: 10 }),
    sslCertificates: ignoredField({
      type: 'object',
      properties: { enabled: { type: 'boolean' }, alertThreshold: { type: 'integer' } },
      description: 'Ignored: alert channels have their own settings for certificates',
      deprecated: true,
    }),
  })
  .meta({ id: 'AlertSettings' })

export type AlertSettings = z.output<typeof AlertSettings>

export const defaultAlertSettings = AlertSettings.parse({})

// The moments between the decision of an alert and its delivery at which the server is killed.
import type { AlertGround } from './alert-ground.ts'

export interface Moment {
  name: string
  /** Sets the behavior of the receivers. */
  prepare(ground: AlertGround): Promise<void>
  /** Whether the moment has come, after the alerts are decided. */
  hasCome(ground: AlertGround, held: Held): Promise<boolean> | boolean
  /** Restores the receivers. */
  release(ground: AlertGround): Promise<void>
}

/** The number of messages that the receivers had read without a response. */
interface Held {
  webhook: number
  mail: number
}

export const moments: readonly Moment[] = [
  {
    name: 'at once',
    prepare: (ground) => ground.shutReceivers(),
    hasCome: () => true,
    release: (ground) => ground.reopenReceivers(),
  },
  {
    name: 'after a try that failed',
    prepare: (ground) => ground.shutReceivers(),
    async hasCome(ground) {
      const { length } = ground.checks
      const log = [...(await ground.log('webhook', length)), ...(await ground.log('mail', length))]
      return log.every(
        ({ status, notificationResult }) => status === 'IN_PROGRESS' && notificationResult !== null,
      )
    },
    release: (ground) => ground.reopenReceivers(),
  },
  {
    name: 'while the receivers have it and do not respond',
    async prepare(ground) {
      ground.webhook.receiver.misbehave('/hook', 'hold')
      ground.mail.behavior = 'hold'
    },
    hasCome: (ground, held) =>
      ground.webhook.receiver.held.length >= held.webhook + ground.checks.length && isMailHeld(ground, held),
    release: behave,
  },
  {
    name: 'when one of two channels has accepted it',
    async prepare(ground) {
      ground.mail.behavior = 'hold'
    },
    async hasCome(ground, held) {
      const log = await ground.log('webhook', ground.checks.length)
      return log.every(({ status }) => status === 'SUCCESS') && isMailHeld(ground, held)
    },
    release: behave,
  },
]

function isMailHeld({ mail, checks }: AlertGround, held: Held): boolean {
  return mail.held.length >= held.mail + checks.length
}

async function behave({ webhook, mail }: AlertGround): Promise<void> {
  webhook.receiver.behave()
  mail.behavior = null
}

// The body of each webhook type.
import type { ConfigOf } from './channel.ts'
import { coralogixBody } from './webhook-bodies/coralogix.ts'
import { discordBody } from './webhook-bodies/discord.ts'
import { firehydrantBody } from './webhook-bodies/firehydrant.ts'
import { gitlabAlertBody } from './webhook-bodies/gitlab-alert.ts'
import { ilertBody } from './webhook-bodies/ilert.ts'
import { incidentioBody } from './webhook-bodies/incidentio.ts'
import { msTeamsBody } from './webhook-bodies/ms-teams.ts'
import { plainBody } from './webhook-bodies/plain.ts'
import { rootlyBody } from './webhook-bodies/rootly.ts'
import { spikeshBody } from './webhook-bodies/spikesh.ts'
import { splunkBody } from './webhook-bodies/splunk.ts'
import { telegramBody } from './webhook-bodies/telegram.ts'
import type { WebhookBody } from './webhook-bodies/webhook-body.ts'

type WebhookType = NonNullable<ConfigOf<'WEBHOOK'>['webhookType']>

const webhookBodies = {
  WEBHOOK_MSTEAMS: msTeamsBody,
  WEBHOOK_DISCORD: discordBody,
  WEBHOOK_TELEGRAM: telegramBody,
  WEBHOOK_INCIDENTIO: incidentioBody,
  WEBHOOK_FIREHYDRANT: firehydrantBody,
  WEBHOOK_GITLAB_ALERT: gitlabAlertBody,
  WEBHOOK_ILERT: ilertBody,
  WEBHOOK_ROOTLY: rootlyBody,
  WEBHOOK_SPIKESH: spikeshBody,
  WEBHOOK_SPLUNK: splunkBody,
  WEBHOOK_CORALOGIX: coralogixBody,
} satisfies Record<WebhookType, WebhookBody>

export function webhookBodyOf(type: WebhookType | null | undefined): WebhookBody {
  return type == null ? plainBody : webhookBodies[type]
}

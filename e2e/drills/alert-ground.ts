// The setup of the alert drill: checks of a site, a webhook and a mailbox that they notify, and the API with the
// decided and sent alerts.
import {
  type Client,
  createAlertChannel,
  createApiCheck,
  type LocationId,
  listAlertNotifications,
  listAlertsOfCheck,
  type ResponseOf,
} from '@vedette/contracts'
import { MailServer } from '../receivers/mail-server.ts'
import { Webhook } from '../receivers/webhook.ts'
import { onDemandOnly } from '../scene.ts'
import { Site } from '../target/site.ts'

export const channelNames = ['webhook', 'mail'] as const
export type ChannelName = (typeof channelNames)[number]
type Notifications = ResponseOf<typeof listAlertNotifications>
type Alerts = ResponseOf<typeof listAlertsOfCheck>

const secret = 'the secret of the drill'
const pageSize = 100

export class AlertGround {
  readonly site: Site
  readonly webhook: Webhook
  readonly mail: MailServer
  checks: string[] = []
  #client: Client | null = null
  #channels: Record<ChannelName, number> = { webhook: 0, mail: 0 }

  private constructor(site: Site, webhook: Webhook, mail: MailServer) {
    this.site = site
    this.webhook = webhook
    this.mail = mail
  }

  static async open(): Promise<AlertGround> {
    const webhook = await Webhook.open({ secrets: { '/hook': secret } })
    return new AlertGround(await Site.open(), webhook, await MailServer.open())
  }

  get client(): Client {
    return this.#client as Client
  }

  async settle(client: Client, count: number, location: LocationId = 'eu-west-1'): Promise<void> {
    this.#client = client
    const url = this.webhook.receiver.url('/hook')
    const webhook = await client.call(createAlertChannel, {
      body: { type: 'WEBHOOK', config: { url, webhookSecret: secret } },
    })
    const mail = await client.call(createAlertChannel, {
      body: { type: 'EMAIL', config: { address: 'oncall@drill.test' } },
    })
    this.#channels = { webhook: webhook.id, mail: mail.id }
    for (let index = 0; index < count; index++) {
      // A new check notifies all existing channels.
      const { id } = await client.call(createApiCheck, {
        body: {
          name: `Drill ${index}`,
          ...onDemandOnly,
          locations: [location],
          doubleCheck: false,
          request: { method: 'GET', url: this.site.url('/') },
        },
      })
      this.checks.push(id)
    }
  }

  async alerts(): Promise<Alerts> {
    const query = { limit: pageSize }
    const all = this.checks.map((checkId) =>
      this.client.call(listAlertsOfCheck, { params: { checkId }, query }),
    )
    return (await Promise.all(all)).flat()
  }

  /** The log of a channel: all of it, or its last entries. */
  async log(name: ChannelName, last = Number.POSITIVE_INFINITY): Promise<Notifications> {
    const log: Notifications = []
    for (let page = 1; ; page++) {
      const query = { alertChannelId: this.#channels[name], limit: pageSize, page }
      const found = await this.client.call(listAlertNotifications, { query })
      log.push(...found)
      if (found.length < pageSize || log.length >= last) return log.slice(0, last)
    }
  }

  async shutReceivers(): Promise<void> {
    await this.webhook.receiver.shut()
    await this.mail.shut()
  }

  async reopenReceivers(): Promise<void> {
    await this.webhook.receiver.reopen()
    await this.mail.reopen()
  }

  async close(): Promise<void> {
    await this.shutReceivers()
    await this.site.shut()
  }
}

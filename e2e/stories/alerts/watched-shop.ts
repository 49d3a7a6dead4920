// A shop that breaks, its checks, and the channels that they notify.
import {
  type CallInput,
  createAlertChannel,
  createApiCheck,
  listAlertNotifications,
  listAlertsOfCheck,
  type ResponseOf,
} from '@vedette/contracts'
import { afterAll, beforeAll } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

export type ChannelBody = NonNullable<CallInput<typeof createAlertChannel>['body']>
type Notification = ResponseOf<typeof listAlertNotifications>[number]

/** Far above the time of a run here, even on a busy machine. */
const degradedMs = 3_000

export class WatchedShop {
  readonly #scene: Scene
  #site: Site | null = null

  constructor(scene: Scene) {
    this.#scene = scene
  }

  get site(): Site {
    return this.#site as Site
  }

  async open(): Promise<void> {
    this.#site = await Site.open()
  }

  async close(): Promise<void> {
    await this.#site?.shut()
  }

  breaks = (path: string) => this.site.on(path, { status: 500 })
  slows = (path: string) => this.site.on(path, { delayMs: degradedMs + 200 })
  fix = (path: string) => this.site.on(path, { status: 200 })

  /** Returns its id. */
  async channel(body: ChannelBody): Promise<number> {
    return (await this.#scene.account.call(createAlertChannel, { body })).id
  }

  /** A check of a path of the shop that notifies these channels; returns its id. */
  async check(path: string, channels: number[], settings: object = {}): Promise<string> {
    const made = await this.#scene.account.call(createApiCheck, {
      // Only these, and not the channels of other stories.
      query: { autoAssignAlerts: false },
      body: {
        name: `Shop ${path}`,
        ...onDemandOnly,
        locations: ['eu-west-1'],
        doubleCheck: false,
        degradedResponseTime: degradedMs,
        maxResponseTime: 20_000,
        alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: true })),
        request: { method: 'GET', url: this.site.url(path) },
        ...settings,
      },
    })
    return made.id
  }

  /** The decided alerts, in order. */
  async alertTypes(checkId: string): Promise<string[]> {
    const query = { limit: 100 }
    const alerts = await this.#scene.account.call(listAlertsOfCheck, { params: { checkId }, query })
    return alerts.map(({ alertType }) => alertType).reverse()
  }

  /** The log of one channel, in order. */
  async log(alertChannelId: number): Promise<Notification[]> {
    const query = { alertChannelId, limit: 100 }
    return (await this.#scene.account.call(listAlertNotifications, { query })).reverse()
  }

  /** When a channel has accepted that many messages and no more are pending. */
  waitForMessages(channel: number, count: number, limitMs = 30_000): Promise<Notification[]> {
    return until(
      `channel ${channel} to take ${count}`,
      async () => {
        const log = await this.log(channel)
        const isOver = log.every(({ status }) => status === 'SUCCESS' || status === 'FAILURE')
        return isOver && log.length >= count && log
      },
      limitMs,
    )
  }
}

/** Opened before the tests of a story and closed after them. */
export function openWatchedShop(scene: Scene): WatchedShop {
  const shop = new WatchedShop(scene)
  beforeAll(() => shop.open())
  afterAll(() => shop.close())
  return shop
}

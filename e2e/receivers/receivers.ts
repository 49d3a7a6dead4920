// All receivers of an installation, and the settings that point to them.
import { MailServer } from './mail-server.ts'
import { Opsgenie } from './opsgenie.ts'
import { Pagerduty } from './pagerduty.ts'
import { Slack } from './slack.ts'
import { Twilio } from './twilio.ts'

export class Receivers {
  readonly mail: MailServer
  readonly slack: Slack
  readonly pagerduty: Pagerduty
  readonly opsgenie: Opsgenie
  readonly twilio: Twilio

  private constructor(
    mail: MailServer,
    slack: Slack,
    pagerduty: Pagerduty,
    opsgenie: Opsgenie,
    twilio: Twilio,
  ) {
    this.mail = mail
    this.slack = slack
    this.pagerduty = pagerduty
    this.opsgenie = opsgenie
    this.twilio = twilio
  }

  static async open(): Promise<Receivers> {
    return new Receivers(
      await MailServer.open(),
      await Slack.open(),
      await Pagerduty.open(),
      await Opsgenie.open(),
      await Twilio.open(),
    )
  }

  get settings(): Record<string, string> {
    const { mail, slack, pagerduty, opsgenie, twilio } = this
    return Object.assign({}, ...[mail, slack, pagerduty, opsgenie, twilio].map(({ settings }) => settings))
  }

  /** Calls that no sender may make. */
  get faults(): string[] {
    return [this.mail, ...this.#overHttp()].flatMap(({ faults }) => faults)
  }

  async close(): Promise<void> {
    for (const receiver of [this.mail, ...this.#overHttp()]) await receiver.shut()
  }

  #overHttp() {
    const { slack, pagerduty, opsgenie, twilio } = this
    return [slack.receiver, pagerduty.receiver, opsgenie.receiver, opsgenie.european, twilio.receiver]
  }
}

// The clients that send messages to channels, opened once per process.
import type { Config } from '../../config.ts'
import type { ChannelSettings, ChannelTools } from '../channels/channel.ts'
import { openHttp } from '../channels/transport/http.ts'
import { openSmtp } from '../channels/transport/smtp.ts'
import { channelRules, channelSettings } from './channel-settings.ts'
import type { Senders } from './send-parts.ts'
import { openTemplates } from './templates.ts'

export interface ChannelClients {
  settings: ChannelSettings
  senders: Senders
  renderTemplate: ChannelTools['renderTemplate']
}

export function openChannelClients(config: Config): ChannelClients & { close(): void } {
  const http = openHttp({ rules: channelRules(config) })
  const mail = openSmtp({ url: config.SMTP_URL, from: config.SMTP_FROM })
  const templates = openTemplates()
  return {
    settings: channelSettings(config),
    senders: { http, mail },
    renderTemplate: templates.render,
    close() {
      http.close()
      mail.close()
      templates.close()
    },
  }
}

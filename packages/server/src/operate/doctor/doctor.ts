// Checks the installation on this machine, whether its server runs or not. It changes nothing.
import type { Finding } from '@vedette/contracts'
import { verifySmtp } from '../../alerting/channels/transport/smtp.ts'
import type { Config } from '../../config.ts'
import { readBuiltApp } from '../../pages/web-app.ts'
import type { Command } from '../command.ts'
import { checkDataDir, checkDiskSpace } from './data-dir.ts'
import { checkPort } from './port.ts'
import { checkStore } from './store.ts'

export const doctorCommands: Record<string, Command> = {
  doctor: {
    usage: 'doctor',
    summary: 'checks the installation on this machine and says how to fix it',
    run: async ({ config }) => {
      const findings = await examine(config)
      const lines = findings.map(({ subject, level, message }) => `${level}: ${subject}: ${message}`)
      return { json: findings, text: lines.join('\n') }
    },
  },
}

async function examine(config: Config): Promise<Finding[]> {
  const dataDir = checkDataDir(config.DATA_DIR)
  const store = await checkStore(config, { isUsable: dataDir.level !== 'problem' })
  return [
    dataDir,
    ...(await checkDiskSpace(config)),
    ...store.findings,
    ...(await checkPort(config, store.isServerRunning)),
    checkPublicUrl(config),
    await checkMail(config),
    checkApp(),
  ]
}

function checkPublicUrl({ PUBLIC_URL, PORT }: Config): Finding {
  const subject = 'PUBLIC_URL'
  const fix = 'Set PUBLIC_URL to the https:// address that people and agents use.'
  if (PUBLIC_URL === undefined) {
    const message = `Not set: links in messages begin with http://localhost:${PORT}, which works on this machine only.`
    return { subject, level: 'warning', message, fix }
  }
  const { protocol, hostname } = new URL(PUBLIC_URL)
  if (protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)) {
    return { subject, level: 'ok', message: PUBLIC_URL }
  }
  const message = `${PUBLIC_URL} has no TLS: passwords and API keys cross the network unencrypted, and passkeys don't work.`
  return { subject, level: 'warning', message, fix }
}

async function checkMail({ SMTP_URL }: Config): Promise<Finding> {
  const subject = 'Mail'
  if (SMTP_URL === undefined) {
    const message = 'Not set up: no alerts, invites and alarms are sent by mail.'
    return { subject, level: 'warning', message, fix: 'Set SMTP_URL=smtp://user:password@host:port.' }
  }
  const failure = await verifySmtp(SMTP_URL)
  if (failure === null) return { subject, level: 'ok', message: 'The mail server accepts connections.' }
  return { subject, level: 'problem', message: failure, fix: 'Correct SMTP_URL, or start the mail server.' }
}

function checkApp(): Finding {
  const subject = 'Web app'
  const built = readBuiltApp()
  if (built?.id !== undefined) return { subject, level: 'ok', message: `Built (${built.id}).` }
  const message = built?.failure ?? "It isn't built yet: the server only has its API."
  return {
    subject,
    level: 'warning',
    message,
    fix: 'In a checkout, npm start builds it within a minute; npm run build:web does it now. Otherwise install vedette again.',
  }
}

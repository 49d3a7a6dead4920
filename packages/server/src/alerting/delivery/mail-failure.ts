// What a mail server's trouble means for a mail. Whoever reads it may not be the operator: no host, user or password.
import { DeliveryError } from './delivery-error.ts'
import type { MailFailure } from './mail-backoff.ts'

interface MailError {
  /** What nodemailer calls it, and what the system called it. */
  code?: string
  originalCode?: string
  command?: string
  responseCode?: number
  response?: string
}

/** About this one mail; what comes before them is about the server or our access to it. */
const commandsOfMail = ['MAIL FROM', 'RCPT TO', 'DATA', 'API']

/** Authentication is missing, too weak or wrong: the operator's to mend. */
const accessCodes = [530, 534, 535, 538]

export function mailFailure(cause: unknown, url: string): MailFailure {
  const facts = cause as MailError
  const message = withoutSecrets(wording(facts, isOfMail(facts)), url)
  const error = new DeliveryError(message.slice(0, 1000), { permanent: isPermanent(facts) })
  return { error, isOfServer: isOfServer(facts) }
}

/** 421: the server is about to close. */
function isOfServer(error: MailError): boolean {
  return !isOfMail(error) || [421, ...accessCodes].includes(error.responseCode ?? 0)
}

function isOfMail({ code, command = '' }: MailError): boolean {
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && commandsOfMail.includes(command)
}

function isPermanent(error: MailError): boolean {
  const { responseCode } = error
  if (!isOfMail(error)) return false
  // Without a reply: nodemailer itself could make nothing of it.
  return responseCode === undefined || (responseCode >= 500 && !accessCodes.includes(responseCode))
}

function wording(error: MailError, isOfMail: boolean): string {
  const { code = '', originalCode, response } = error
  const said = oneLine(response ?? '')
  const detail = said || originalCode || code || 'unknown error'
  if (isOfMail) return said ? `the mail server refused the mail: ${said}` : oneLine((error as Error).message)
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return `the mail server does not accept the user and password of SMTP_URL: ${detail}`
  }
  const isCertificate = /CERT|^UNABLE_TO_|SIGNATURE/.test(originalCode ?? '')
  if (isCertificate) return `the certificate of the mail server is not accepted (${originalCode})`
  if (code === 'ETLS') return `no TLS connection to the mail server could be made: ${detail}`
  return `the mail server could not be reached or broke off: ${detail}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function withoutSecrets(text: string, url: string): string {
  const [, userInfo = ''] = /^smtps?:\/\/(.*)@/.exec(url) ?? []
  const password = userInfo.slice(userInfo.indexOf(':') + 1)
  const forms = [password, decoded(password)].filter((form) => form.length > 2)
  return forms.reduce((left, form) => left.replaceAll(form, '***'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

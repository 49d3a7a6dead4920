// What a mail server's trouble means for a mail. Whoever reads it may not be the operator: no host, user or password.
import { errorMessage } from '@vedette/safeguards/errors'
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
  if (isOfMail)
    return said
      ? `The mail server refused the email (${said}). Check the recipient's address.`
      : `The email could not be sent (${oneLine(errorMessage(error))}). Check the recipient's address.`
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return `The mail server refused the user name and password of SMTP_URL (${detail}). Ask the operator to correct them.`
  }
  const isCertificate = /CERT|^UNABLE_TO_|SIGNATURE/.test(originalCode ?? '')
  if (isCertificate)
    return `The certificate of the mail server isn't trusted (${originalCode}). Ask the operator to install a valid one.`
  if (code === 'ETLS')
    return `A TLS connection to the mail server could not be established (${detail}). Ask the operator to check SMTP_URL.`
  return `The mail server could not be reached, or it closed the connection (${detail}). Ask the operator to check SMTP_URL and the mail server.`
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

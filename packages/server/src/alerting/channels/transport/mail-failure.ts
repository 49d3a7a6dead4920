// Turns errors of the mail server into delivery errors. Readers may not be the operator, so messages contain no host, user or
// password.
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import { DeliveryError } from './delivery-error.ts'
import type { MailFailure } from './mail-backoff.ts'

const text = z.string().optional().catch(undefined)

/** `code` is nodemailer's code, `originalCode` the system's. */
const MailError = z
  .object({
    code: text,
    originalCode: text,
    command: text,
    responseCode: z.number().optional().catch(undefined),
    response: text,
  })
  .catch({})

type MailError = z.output<typeof MailError>

/** Errors of these commands concern one email; errors of earlier commands concern the server or our credentials. */
const commandsOfMail = ['MAIL FROM', 'RCPT TO', 'DATA', 'API']

/** Authentication is missing, too weak or wrong; the operator has to fix it. */
const accessCodes = [530, 534, 535, 538]

export function mailFailure(cause: unknown, url: string): MailFailure {
  const facts = MailError.parse(cause)
  const message = withoutSecrets(wording(facts, isOfMail(facts), cause), url)
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
  // Without a reply, nodemailer itself rejected the email.
  return responseCode === undefined || (responseCode >= 500 && !accessCodes.includes(responseCode))
}

function wording(
  { code = '', originalCode, response }: MailError,
  isOfMail: boolean,
  cause: unknown,
): string {
  const reply = oneLine(response ?? '')
  const detail = reply || originalCode || code || 'unknown error'
  if (isOfMail)
    return reply
      ? `The mail server refused the email (${reply}). Check the recipient's address.`
      : `The email could not be sent (${oneLine(errorMessage(cause))}). Check the recipient's address.`
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
  const forms = [password, decode(password)].filter((form) => form.length > 2)
  return forms.reduce((left, form) => left.replaceAll(form, '***'), text)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// Twilio's APIs for SMS and calls: Messages.json and Calls.json.
import { type Demand, demandOf, isOnly, isText, readForm } from './demands.ts'
import { HttpReceiver, type Protocol, Refusal } from './http-receiver.ts'

export interface TwilioMessage {
  resource: 'Messages' | 'Calls'
  to: string
  /** The text of an SMS, or each <Say> of a call. */
  texts: string[]
}

const accountSid = 'AC0123456789abcdef0123456789abcdef'
const authToken = 'the-token-of-the-operator'
const from = '+15005550006'

const demand: Demand = demandOf((message) => ({ status: 400, body: { code: 21211, message, status: 400 } }))
const e164 = /^\+[1-9]\d{1,14}$/

const api: Protocol<TwilioMessage> = (call) => {
  const expected = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  if (call.headers.authorization !== `Basic ${expected}`) {
    throw new Refusal('Authenticate', {
      status: 401,
      body: { code: 20003, message: 'Authenticate', status: 401 },
    })
  }
  const [, resource] = /^\/2010-04-01\/Accounts\/AC\w{32}\/(Messages|Calls)\.json$/.exec(call.path) ?? []
  demand(call.method === 'POST' && resource !== undefined, 'must be a POST of a message or a call')
  demand(call.path.includes(accountSid), 'must name the account')
  const { From, To, ...rest } = readForm(call, demand)
  demand(From === from, "The 'From' number is not one of yours.")
  demand(To !== undefined && e164.test(To), "The 'To' number is not a valid phone number.")
  const texts = resource === 'Messages' ? [readBody(rest)] : readTwiml(rest)
  const message = { resource: resource as TwilioMessage['resource'], to: To, texts }
  const sid = `${resource === 'Messages' ? 'SM' : 'CA'}${crypto.randomUUID().replaceAll('-', '')}`
  return { message, reply: { status: 201, body: { sid, status: 'queued', to: To, from } } }
}

function readBody(form: Record<string, string>): string {
  demand(isOnly(form, 'Body'), 'has other fields')
  demand(isText(form.Body, 1600), 'Message body is required.')
  return form.Body
}

function readTwiml(form: Record<string, string>): string[] {
  demand(isOnly(form, 'Twiml'), 'has other fields')
  const twiml = form.Twiml
  demand(isText(twiml, 4000), 'Twiml is required.')
  const verbs = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*<Response>(.*)<\/Response>$/s.exec(twiml)?.[1]
  demand(verbs !== undefined, 'Twiml must be a Response.')
  const texts = [...verbs.matchAll(/<Say>([^<>]+)<\/Say>/g)].map(([, words]) => words as string)
  demand(verbs.replace(/<Say>[^<>]+<\/Say>|<Pause length="\d+"\/>/g, '').trim() === '', 'Invalid verb.')
  demand(texts.length > 0, 'A call must have text.')
  demand(
    texts.every((words) => !/&(?!(amp|lt|gt|quot|apos|#39);)/.test(words)),
    'Twiml must be escaped.',
  )
  return texts.map((words) => words.replaceAll('&quot;', '"'))
}

export class Twilio {
  readonly receiver: HttpReceiver<TwilioMessage>
  readonly settings: Record<string, string>

  private constructor(receiver: HttpReceiver<TwilioMessage>) {
    this.receiver = receiver
    this.settings = {
      TWILIO_URL: receiver.url(),
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_FROM: from,
    }
  }

  static async open(): Promise<Twilio> {
    return new Twilio(await HttpReceiver.open(api))
  }

  to(number: string, resource: TwilioMessage['resource']): TwilioMessage[] {
    return this.receiver.messages.filter((message) => message.to === number && message.resource === resource)
  }
}

// A request to Twilio or a compatible API. It has no idempotency key: if a response is lost, a message may be sent twice.
import type { ChannelSettings } from './channel.ts'
import { DeliveryError } from './transport/delivery-error.ts'
import type { HttpCall } from './transport/http.ts'

export function twilioCall(
  { twilio }: ChannelSettings,
  resource: 'Messages' | 'Calls',
  to: string,
  content: Record<string, string>,
): HttpCall {
  if (twilio === null) {
    throw new DeliveryError(
      "SMS and phone calls aren't set up. Ask the operator to set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM.",
      { permanent: true },
    )
  }
  const { apiUrl, accountSid, authToken, from } = twilio
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  return {
    method: 'POST',
    url: `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/${resource}.json`,
    headers: {
      authorization: `Basic ${credentials}`,
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    },
    body: new URLSearchParams({ From: from, To: to, ...content }).toString(),
  }
}

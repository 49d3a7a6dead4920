import { inventedOwnerEmail } from '../config.ts'
import type { Server } from '../server.ts'

/** What a person reads when the server is ready. */
export function welcome({ address, first, place }: Pick<Server, 'address' | 'first' | 'place'>): string {
  if (first === null) {
    return `
Vedette is ready, on the existing data in ${place}

  Address        ${address}
  API reference  ${address}/docs

  Lost your API key? Make another one: npx vedette keys create

`
  }
  return `
Vedette is ready.

  Address        ${address}
  API reference  ${address}/docs
  API key        ${first.rawKey}
  Account id     ${first.accountId}
  Owner          ${first.owner.email}

  Keep the key: it is shown only this once.
${
  first.owner.email === inventedOwnerEmail
    ? `  Alarms about agents go to the owner. Give your own address: npx vedette users set-email ${inventedOwnerEmail} you@example.com\n`
    : ''
}
Try it:

  curl -H 'Authorization: Bearer ${first.rawKey}' -H 'x-service-account: ${first.accountId}' ${address}/v1/accounts/me

`
}

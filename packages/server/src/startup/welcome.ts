import { inventedOwnerEmail } from '../config.ts'
import type { Server } from '../server.ts'

/** Printed when the server is ready. */
export function welcome({
  address,
  first,
  dataLocation,
}: Pick<Server, 'address' | 'first' | 'dataLocation'>): string {
  if (first === null) {
    return `
Vedette is ready, on the existing data in ${dataLocation}

  Address        ${address}
  API reference  ${address}/docs

  No password yet? Print a link to choose one: npx vedette setup-link
  Lost your API key? Create another one: npx vedette keys create

`
  }
  return `
Vedette is ready.

  Set it up here, within 24 hours: ${address}/setup#${first.setupToken}

  Address        ${address}
  API reference  ${address}/docs
  API key        ${first.rawKey}
  Account id     ${first.accountId}
  Owner          ${first.owner.email}

  Store the key: it is shown only once.
${
  first.owner.email === inventedOwnerEmail
    ? `  Alarms about agents go to the owner. Set your own address: npx vedette users set-email ${inventedOwnerEmail} you@example.com\n`
    : ''
}
Try it:

  curl -H 'Authorization: Bearer ${first.rawKey}' -H 'x-service-account: ${first.accountId}' ${address}/v1/accounts/me

`
}

import { ApiError, askForCertificate } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function customDomainRoutes({ pageHosts }: Deps): Mounted[] {
  return [
    handle(askForCertificate, async ({ query: { domain } }) => {
      if (!pageHosts?.isServed(domain))
        throw new ApiError('not_found', { message: 'This server shows no page on this domain.' })
      return { domain }
    }),
  ]
}

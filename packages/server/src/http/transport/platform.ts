import {
  ApiError,
  getHealth,
  getOpenApi,
  getReadiness,
  getSwagger,
  openapi,
  routes,
} from '@vedette/contracts'
import { publicUrl } from '../../core/public-url.ts'
import { ReadyBytes } from '../../core/ready-bytes.ts'
import type { Deps } from './deps.ts'
import { handle, type Mounted } from './mount.ts'

export function platformRoutes(deps: Deps): Mounted[] {
  // Created on the first request: it takes longer than the rest of the startup.
  let bytes: ReadyBytes | undefined
  const document = async () =>
    (bytes ??= new ReadyBytes(JSON.stringify(openapi(routes, { serverUrl: publicUrl(deps.config) }))))
  return [
    handle(getHealth, async () => ({ status: 'ok' as const })),
    handle(getReadiness, async () => {
      if (deps.probe.isStopped()) throw new ApiError('unavailable', { message: 'The server is stopping.' })
      if (!deps.probe.isReachable()) {
        throw new ApiError('unavailable', { message: 'The database cannot be reached.' })
      }
      return { status: 'ok' as const }
    }),
    handle(getOpenApi, document),
    handle(getSwagger, document),
  ]
}

import type { ServerClient } from '../connection/server-client.ts'
import { withRetries } from './transfer-retry.ts'

const idleMs = 30_000

/** The suite of a run into a file of ours; tried until the signal says that it is enough. */
export function bundleDownloader(client: Pick<ServerClient, 'downloadBundle'>) {
  return (token: string, toPath: string, signal: AbortSignal): Promise<void> =>
    withRetries(() => client.downloadBundle(token, toPath, { idleMs, signal }), signal)
}

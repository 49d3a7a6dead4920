import type { ServerClient } from '../connection/server-client.ts'
import { withRetries } from './transfer-retry.ts'

const idleMs = 30_000

/** Downloads the bundle of a run into a file, with retries until the signal is aborted. */
export function bundleDownloader(client: Pick<ServerClient, 'downloadBundle'>) {
  return (token: string, toPath: string, signal: AbortSignal): Promise<void> =>
    withRetries(() => client.downloadBundle(token, toPath, { idleMs, signal }), signal)
}

/** Downloads a snapshot that the script of a run compares with, in the same way. */
export function snapshotDownloader(client: Pick<ServerClient, 'downloadSnapshot'>) {
  return (token: string, key: string, toPath: string, signal: AbortSignal): Promise<void> =>
    withRetries(() => client.downloadSnapshot(token, key, toPath, { idleMs, signal }), signal)
}

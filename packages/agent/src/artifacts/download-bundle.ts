// Downloads files of a run, with retries until the signal is aborted.
import { filePaths } from '../connection/protocol.ts'
import type { ServerClient } from '../connection/server-client.ts'
import { withRetries } from './transfer-retry.ts'

const idleMs = 30_000

export function bundleDownloader(client: Pick<ServerClient, 'download'>) {
  return (token: string, toPath: string, signal: AbortSignal): Promise<void> =>
    withRetries(() => client.download(filePaths.codeBundle, token, toPath, { idleMs, signal }), signal)
}

/** A snapshot that the script of a run compares with. */
export function snapshotDownloader(client: Pick<ServerClient, 'download'>) {
  return (token: string, key: string, toPath: string, signal: AbortSignal): Promise<void> =>
    withRetries(() => client.download(filePaths.snapshot(key), token, toPath, { idleMs, signal }), signal)
}

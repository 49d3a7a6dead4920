// Uploads the scrubbed files of a run and returns those that the server has, for the result. Files that can't be uploaded are
// left out with a message: the result is reported in any case.

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReportedArtifact } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { maxArtifactBytes, maxArtifactsPerRun } from '../connection/protocol.ts'
import type { ServerClient } from '../connection/server-client.ts'
import { chunksOf, openFile } from './byte-source.ts'
import type { OutputFile } from './output-file.ts'
import { withRetries } from './transfer-retry.ts'

export interface UploadOptions {
  client: Pick<ServerClient, 'call' | 'uploadArtifact'>
  /** The lease of the run. */
  token: string
  agentId: string
  signal: AbortSignal
  /** For all files together. */
  deadlineMs: number
  /** Called with a message for each file that is left out. */
  onLeft?(line: string): void
}

/** The server responds once the file is in its store, which may be slow. */
const idleMs = 60_000
const askMs = 15_000
/** One upload at a time leaves the line idle between files; many would take its bandwidth from everything else. */
const concurrency = 2

export async function uploadArtifacts(
  files: readonly OutputFile[],
  { client, token, agentId, signal, deadlineMs, onLeft }: UploadOptions,
): Promise<ReportedArtifact[]> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)])
  let lastError: Error | null = null
  const onFailed = (error: Error) => {
    lastError = error
  }
  const leave = (name: string, error: unknown) =>
    onLeft?.(`${name} is not kept: ${whyOf(error, limited, lastError)}`)
  const known: { artifact: ReportedArtifact; path: string }[] = []
  for (const file of files) {
    try {
      if (known.length === maxArtifactsPerRun)
        throw new Error(`there are ${maxArtifactsPerRun} files already`)
      known.push({ artifact: await describeFile(file, limited), path: file.path })
    } catch (error) {
      leave(file.name, error)
    }
  }
  if (known.length === 0) return []
  const bySha = Map.groupBy(known, ({ artifact }) => artifact.sha256)
  const wantedOf = async (sha256: readonly string[]) => {
    const body = JSON.stringify({ agentId, token, sha256 })
    const { wanted } = await client.call('wanted', body, { timeoutMs: askMs, signal: limited })
    return wanted.filter((one) => sha256.includes(one))
  }
  let missing: string[]
  try {
    missing = await withRetries(() => wantedOf([...bySha.keys()]), limited, onFailed)
  } catch (error) {
    for (const { artifact } of known) leave(artifact.name, error)
    return []
  }
  const upload = async ({ artifact: { sha256, sizeBytes }, path }: (typeof known)[number]) => {
    await using source = await openFile(path)
    // From the beginning, and no further than the announced size.
    const open = () => Readable.from(chunksOf(source, 0, sizeBytes), { objectMode: false })
    let tries = 0
    const send = async () => {
      // The server may have received all of it before the connection was lost.
      if (tries++ > 0 && (await wantedOf([sha256])).length === 0) return
      await client.uploadArtifact(token, sha256, { bytes: sizeBytes, open }, { idleMs, signal: limited })
    }
    await withRetries(send, limited, onFailed)
  }
  const lost = new Set<string>()
  const next = missing.values()
  const worker = async () => {
    for (const sha256 of next) {
      const same = bySha.get(sha256) ?? []
      try {
        if (same[0]) await upload(same[0])
      } catch (error) {
        lost.add(sha256)
        for (const { artifact } of same) leave(artifact.name, error)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return known.map(({ artifact }) => artifact).filter(({ sha256 }) => !lost.has(sha256))
}

async function describeFile({ type, name, path, contentType }: OutputFile, signal: AbortSignal) {
  await using source = await openFile(path)
  if (source.size > maxArtifactBytes)
    throw new Error(`it is larger than ${maxArtifactBytes / 1024 / 1024} MB`)
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of chunksOf(source)) {
    signal.throwIfAborted()
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { type, name, contentType, sizeBytes, sha256: hash.digest('hex') }
}

/** `lastError`: of the attempts before the time was up. */
function whyOf(error: unknown, signal: AbortSignal, lastError: Error | null): string {
  if (!signal.aborted) return errorMessage(error)
  if (signal.reason?.name !== 'TimeoutError') return 'the run was canceled'
  return `there was no time left to upload it${lastError === null ? '' : ` (${lastError.message})`}`
}

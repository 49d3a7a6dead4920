// Stores an uploaded file under a new path, which checks and clients refer to.
import { randomUUID } from 'node:crypto'
import { ApiError } from '@vedette/contracts'
import { type CodeBundleRow, insertCodeBundle } from '../../storage/checks/code-bundles.ts'
import type { Call } from '../transport/call.ts'
import type { Deps } from '../transport/deps.ts'
import { keepUpload, refuseLarge, type UploadLimits } from '../transport/upload.ts'
import { requireTarGz } from './tar-gz.ts'

type Upload = Pick<Call<unknown>, 'account' | 'request' | 'bytes'>

export function keepCodeBundle(deps: Deps, { account, request, bytes }: Upload): Promise<CodeBundleRow> {
  const maxBytes = deps.config.CODE_BUNDLE_MAX_MB * 1024 * 1024
  refuseLarge(request.headers['content-length'], maxBytes)
  const sha256 = checksumOf(request.headers)
  const path = `code-bundles/${randomUUID()}.tar.gz`
  return keep(deps, account.id, requireTarGz(bytes), { maxBytes, ...(sha256 && { sha256 }) }, path)
}

const checksumHeader = 'x-bundle-checksum-sha256'

function checksumOf(headers: Upload['request']['headers']): string | undefined {
  const sent = headers[checksumHeader]
  if (sent === undefined || sent === '') return undefined
  const checksum = String(sent).toLowerCase()
  if (/^[0-9a-f]{64}$/.test(checksum)) return checksum
  throw new ApiError('invalid_input', {
    message: `The header ${checksumHeader} must be the SHA-256 of the archive in 64 hexadecimal digits.`,
    attributes: { [checksumHeader]: 'must be 64 hexadecimal digits' },
  })
}

/** Snapshots are images. */
const maxFileBytes = 50 * 1024 * 1024

export function keepSnapshot(deps: Deps, { account, request, bytes }: Upload): Promise<CodeBundleRow> {
  refuseLarge(request.headers['content-length'], maxFileBytes)
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || Number(length) === 0)) {
    throw new ApiError('invalid_input', {
      message: 'A body is required: the bytes of the file.',
      attributes: { body: 'is required' },
    })
  }
  return keep(deps, account.id, bytes, { maxBytes: maxFileBytes }, `snapshots/${randomUUID()}`)
}

async function keep(
  deps: Deps,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
  limits: UploadLimits,
  path: string,
): Promise<CodeBundleRow> {
  const { sha256, sizeBytes } = await keepUpload(deps, accountId, bytes, limits)
  const now = new Date(deps.clock.now())
  return insertCodeBundle(deps.store.db, {
    account_id: accountId,
    path,
    sha256,
    size_bytes: sizeBytes,
    created_at: now,
    last_used_at: now,
  })
}

// File transfers between agents and the blob store, authorized by the lease of a run. See contracts/runs/agent-artifacts.ts.
import {
  ApiError,
  askForArtifacts,
  downloadCodeBundle,
  downloadSnapshot,
  maxArtifactBytes,
  uploadArtifact,
} from '@vedette/contracts'
import { openBlob } from '../../blobs/keep-blob.ts'
import { requireSpace } from '../../dispatch/quotas.ts'
import { findCodeBundlePath, useCodeBundle } from '../../storage/checks/code-bundles.ts'
import { touchKnownBlobs } from '../../storage/results/blobs.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { StoredFile } from '../transport/stored-file.ts'
import { keepUpload, refuseLarge } from '../transport/upload.ts'
import { requireLease, runTokenOf } from './agent-lease.ts'

export function agentArtifactRoutes(deps: Deps): Mounted[] {
  const { clock, store, blobs } = deps
  return [
    handle(askForArtifacts, async ({ agent, body }) => {
      const { accountId } = requireLease(deps, agent, body.token)
      const known = await touchKnownBlobs(store.pool, accountId, body.sha256, clock.now())
      const wanted = [...new Set(body.sha256)].filter((sha256) => !known.has(sha256))
      return { serverTime: clock.now(), wanted }
    }),
    handle(uploadArtifact, async ({ agent, request, params, bytes }) => {
      const { accountId } = requireLease(deps, agent, runTokenOf(request))
      refuseLarge(request.headers['content-length'], maxArtifactBytes)
      await requireSpace(store.pool, accountId, Number(request.headers['content-length'] ?? 0))
      const limits = { maxBytes: maxArtifactBytes, sha256: params.sha256 }
      const { sizeBytes } = await keepUpload(deps, accountId, bytes, limits)
      return { serverTime: clock.now(), sizeBytes }
    }),
    handle(downloadSnapshot, async ({ agent, request, params }) => {
      const { accountId } = requireLease(deps, agent, runTokenOf(request))
      const row = await useCodeBundle(store.db, accountId, params.key, clock.now())
      if (row === null) {
        const message = `The snapshot ${params.key} doesn't exist. Upload it again and update the check.`
        throw new ApiError('not_found', { message })
      }
      return new StoredFile({
        name: row.path,
        contentType: 'application/octet-stream',
        sizeBytes: row.size_bytes,
        sha256: row.sha256,
        open: (range) => openBlob({ pool: store.pool, blobs }, accountId, row.sha256, range),
      })
    }),
    handle(downloadCodeBundle, async ({ agent, request }) => {
      const { accountId, checkId } = requireLease(deps, agent, runTokenOf(request))
      const path = await findCodeBundlePath(store.pool, accountId, checkId)
      const bundle = path === null ? null : await useCodeBundle(store.db, accountId, path, clock.now())
      if (bundle === null) {
        const what =
          path === null ? "The check doesn't have a code bundle." : `The code bundle ${path} doesn't exist.`
        throw new ApiError('not_found', { message: `${what} Upload the archive and update codeBundlePath.` })
      }
      const { sha256, size_bytes: sizeBytes } = bundle
      return new StoredFile({
        name: bundle.path,
        contentType: 'application/gzip',
        sizeBytes,
        sha256,
        open: (range) => openBlob({ pool: store.pool, blobs }, accountId, sha256, range),
      })
    }),
  ]
}

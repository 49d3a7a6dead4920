import {
  downloadFileForCli,
  getAccountForCli,
  getMeForCli,
  listAccountsForCli,
  peekCodeBundleForCli,
  uploadCodeBundleForCli,
  uploadFileForCli,
} from '@vedette/contracts'
import { openBlob } from '../../blobs/keep-blob.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { readSnapshotKey } from '../../dispatch/suite-messages.ts'
import { findAccount, listAccounts } from '../../storage/accounts/accounts.ts'
import { type CodeBundleRow, useCodeBundle } from '../../storage/checks/code-bundles.ts'
import { findTestResult } from '../../storage/runs/test-session-results.ts'
import { keepCodeBundle, keepSnapshot } from '../checks/keep-bundle.ts'
import { requireResultFile } from '../results/result-files.ts'
import { authorizeAccount } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { StoredFile } from '../transport/stored-file.ts'
import { serializeAccount } from './serialize-account.ts'
import { serializeIdentity } from './serialize-caller.ts'

export function cliProtocolRoutes(deps: Deps): Mounted[] {
  const { store, blobs, clock } = deps
  const { db } = store
  return [
    handle(listAccountsForCli, async ({ principal }) => {
      return (await listAccounts(db, [...principal.roles.keys()])).map(serializeAccount)
    }),
    handle(getAccountForCli, async ({ principal, params }) => {
      return serializeAccount(
        orNotFound(await findAccount(db, authorizeAccount(principal, params.accountId).id)),
      )
    }),
    handle(getMeForCli, async ({ principal }) => serializeIdentity(db, principal)),
    handle(uploadCodeBundleForCli, async (call) => serializeBundle(await keepCodeBundle(deps, call))),
    handle(peekCodeBundleForCli, async ({ account, body }) =>
      serializeBundle(orNotFound(await useCodeBundle(db, account.id, body.key, clock.now()))),
    ),
    handle(uploadFileForCli, async (call) => ({ key: (await keepSnapshot(deps, call)).path })),
    handle(downloadFileForCli, async ({ account, body }) => {
      const written = readSnapshotKey(body.key)
      if (written !== null) {
        const { sessionId, resultId, artifactId } = written
        orNotFound(await findTestResult(db, account.id, sessionId, resultId))
        return requireResultFile(deps, account.id, { artifactId, resultId })
      }
      const row = orNotFound(await useCodeBundle(db, account.id, body.key, clock.now()))
      return new StoredFile({
        name: row.path,
        contentType: 'application/octet-stream',
        sizeBytes: row.size_bytes,
        sha256: row.sha256,
        open: (range) => openBlob({ pool: store.pool, blobs }, account.id, row.sha256, range),
      })
    }),
  ]
}

function serializeBundle({ path, size_bytes, sha256, created_at }: CodeBundleRow) {
  return { key: path, contentLength: size_bytes, checksumSha256: sha256, lastModified: created_at }
}

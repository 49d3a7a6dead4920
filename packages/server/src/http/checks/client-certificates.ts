import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type ClientCertificate,
  createClientCertificate,
  deleteClientCertificate,
  getClientCertificate,
  invalidInput,
  listClientCertificates,
  listClientCertificateUses,
} from '@vedette/contracts'
import type { z } from 'zod'
import { listCertificateUses } from '../../checks/certificate-uses.ts'
import { clientCertificateIssues } from '../../checks/client-certificate-issues.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as certificates from '../../storage/checks/client-certificates.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function clientCertificateRoutes({ store, vault }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listClientCertificates, async ({ account }) => {
      return (await certificates.listClientCertificates(db, account.id)).map(serializeClientCertificate)
    }),
    handle(getClientCertificate, async ({ account, params }) => {
      return serializeClientCertificate(
        orNotFound(await certificates.findClientCertificate(db, account.id, params.id)),
      )
    }),
    handle(listClientCertificateUses, async ({ account, params }) => {
      const { id } = orNotFound(await certificates.findClientCertificate(db, account.id, params.id))
      return listCertificateUses(db, account.id, id)
    }),
    handle(createClientCertificate, async ({ account, body }) => {
      const issues = clientCertificateIssues(body)
      if (issues.length > 0) throw invalidInput(issues)
      const values = { ...body, id: randomUUID() }
      return serializeClientCertificate(
        await certificates.insertClientCertificate(db, vault, account.id, values),
      )
    }),
    handle(deleteClientCertificate, async ({ account, params }) => {
      if (!(await certificates.deleteClientCertificate(db, account.id, params.id)))
        throw new ApiError('not_found')
    }),
  ]
}

function serializeClientCertificate(
  row: certificates.ClientCertificateRow,
): z.output<typeof ClientCertificate> {
  return { id: row.id, host: row.host, cert: row.cert, ca: row.ca, created_at: row.created_at }
}

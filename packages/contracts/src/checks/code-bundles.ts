// Archives of suites. A check refers to one by the path that the upload returned.
import { z } from 'zod'
import { Timestamp } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const CodeBundle = z
  .object({
    codeBundlePath: z.string().describe('The reference to the archive in a Playwright suite'),
    sizeBytes: z.int().min(0),
    sha256: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'CodeBundle' })

export const createCodeBundle = route({
  method: 'POST',
  path: '/v1/code-bundles',
  tag: 'Checks',
  summary: 'Upload the archive of a Playwright suite',
  description:
    'The body is the tar archive itself, compressed with gzip. An archive that no check refers to is deleted after a week.',
  access: 'READ_WRITE',
  streamsBody: true,
  status: 201,
  response: CodeBundle,
})

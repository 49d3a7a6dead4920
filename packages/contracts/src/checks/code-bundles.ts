// Archives of suites. A check names one by the path that its upload was answered with.
import { z } from 'zod'
import { Timestamp } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const CodeBundle = z
  .object({
    codeBundlePath: z.string().describe('What a Playwright suite names the archive by'),
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
    'The body is a tar archive compressed with gzip, as it is (no form). An archive that no check names is deleted after a week.',
  access: 'READ_WRITE',
  streamsBody: true,
  status: 201,
  response: CodeBundle,
})

import { type HttpDetail, runHttp } from './http-run.ts'
import { httpRunner, renderHttp } from './http-runner.ts'
import type { Runner } from './runner.ts'

/** A URL monitor asks for a page, and nothing more. */
const bare = { headers: [], queryParameters: [], body: '', bodyType: 'NONE', basicAuth: null } as const

export const urlMonitor = {
  ...httpRunner,
  type: 'URL',
  render: renderHttp,
  run: ({ settings }, context) => runHttp({ ...bare, ...settings }, context),
} satisfies Runner<'URL', HttpDetail>

import { type HttpDetail, runHttp } from './http-run.ts'
import { httpRunner, renderHttp } from './http-runner.ts'
import type { Runner } from './runner.ts'

/** The settings that a URL monitor doesn't have. */
const defaults = { headers: [], queryParameters: [], body: '', bodyType: 'NONE', basicAuth: null } as const

export const urlMonitor = {
  ...httpRunner,
  type: 'URL',
  render: renderHttp,
  run: (settings, context) => runHttp({ ...defaults, ...settings }, context),
} satisfies Runner<'URL', HttpDetail>

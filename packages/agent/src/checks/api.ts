import { type HttpDetail, runHttp } from './http-run.ts'
import { httpRunner, renderHttp } from './http-runner.ts'
import type { Runner } from './runner.ts'

export const apiCheck = {
  ...httpRunner,
  type: 'API',
  hasScripts: true,
  render: renderHttp,
  run: (settings, context) => runHttp(settings, context),
} satisfies Runner<'API', HttpDetail>

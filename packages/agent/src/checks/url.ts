import type { Check } from '@vedette/contracts'
import { type HttpDetail, runHttp } from './http-run.ts'
import type { Runner } from './runner.ts'

export type UrlSettings = Extract<Check, { checkType: 'URL' }>['request']

export const runUrl: Runner<UrlSettings, HttpDetail> = ({ settings }, context) =>
  runHttp({ ...bare, ...settings }, context)

/** A URL monitor asks for a page, and nothing more. */
const bare = { headers: [], queryParameters: [], body: '', bodyType: 'NONE', basicAuth: null } as const

import type { Check } from '@vedette/contracts'
import { type HttpDetail, runHttp } from './http-run.ts'
import type { Runner } from './runner.ts'

export type ApiSettings = Extract<Check, { checkType: 'API' }>['request']

export const runApi: Runner<ApiSettings, HttpDetail> = ({ settings }, context) => runHttp(settings, context)

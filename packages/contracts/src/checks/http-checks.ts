// What API checks share with URL monitors and with the defaults of check groups.
import { ApiCheckResult } from '../results/check-result-detail.ts'
import { assertion, comparisons, responseTimeSource, statusCodeSource, textBodySource } from './assertions.ts'
import { milliseconds } from './definition.ts'

export const apiSources = {
  STATUS_CODE: statusCodeSource,
  JSON_BODY: {
    kind: 'json',
    name: 'the JSON body',
    absent: 'There was no response, so there is no JSON body.',
  },
  HEADERS: {
    kind: 'headers',
    name: 'the response headers',
    absent: 'There was no response, so there are no headers.',
  },
  TEXT_BODY: textBodySource,
  RESPONSE_TIME: responseTimeSource,
} as const

export const ApiAssertion = assertion('ApiAssertion', comparisons, apiSources)

export const httpMetrics = {
  responseTime: milliseconds(0, 'Response time'),
  wait: milliseconds(1, 'Wait'),
  dns: milliseconds(2, 'DNS'),
  tcp: milliseconds(3, 'TCP'),
  firstByte: milliseconds(4, 'First byte'),
  download: milliseconds(5, 'Download'),
}

export const httpResult = {
  kind: 'http',
  field: 'apiCheckResult',
  schema: ApiCheckResult.nullable().describe('API checks and URL monitors'),
} as const

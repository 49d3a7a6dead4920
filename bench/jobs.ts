// A job as a server hands it out, for what measures agents alone.
import { Job } from '@vedette/contracts'

type Assertion = { source: string; property: string; comparison: string; target: string; regex: null }

export function apiJob(url: string, assertions: Assertion[]): Job {
  const checkId = '00000000-0000-4000-8000-000000000001'
  return Job.parse({
    token: '',
    runId: checkId,
    attempt: 1,
    resultId: checkId,
    checkId,
    checkType: 'API',
    scheduledAt: 0,
    location: 'eu-west-1',
    check: {
      id: checkId,
      checkType: 'API',
      name: 'Orders API',
      shouldFail: false,
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      request: {
        method: 'GET',
        url,
        followRedirects: true,
        skipSSL: false,
        ipFamily: 'IPv4',
        body: '',
        bodyType: 'NONE',
        headers: [],
        queryParameters: [],
        basicAuth: null,
        assertions,
      },
    },
    variables: {},
    secrets: [],
    groupBaseUrl: null,
    environmentUrl: null,
    proxyUrl: null,
    clientCertificates: [],
    setup: [],
    teardown: [],
    snippets: [],
    runtimeId: null,
    source: 'schedule',
  })
}

// Jobs for benchmarks of agents without a server.
import { Job } from '@vedette/contracts'

type Assertion = { source: string; property: string; comparison: string; target: string; regex: null }

const checkId = '00000000-0000-4000-8000-000000000001'

export function apiJob(url: string, assertions: Assertion[]): Job {
  return Job.parse({
    ...shared,
    checkType: 'API',
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
  })
}

export function browserJob(script: string, variables: Record<string, string>): Job {
  return Job.parse({
    ...shared,
    checkType: 'BROWSER',
    check: { id: checkId, checkType: 'BROWSER', name: 'Shop', script, scriptPath: null, dependencies: [] },
    variables,
    runtimeId: '2026.04',
  })
}

const shared = {
  token: '',
  runId: checkId,
  attempt: 1,
  resultId: checkId,
  checkId,
  accountId: checkId,
  scheduledAt: 0,
  location: 'eu-west-1',
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
  refreshCache: false,
  agenticScript: null,
}

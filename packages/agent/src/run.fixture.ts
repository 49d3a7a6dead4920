// A whole API check, as the server hands it out.
import { Check } from '@vedette/contracts'
import type { NetworkCheck } from './checks/runner.ts'

type ApiCheck = Extract<NetworkCheck, { checkType: 'API' }>

export function apiCheckExample(request: Partial<ApiCheck['request']> & { url: string }): ApiCheck {
  return Check.parse({
    id: '00000000-0000-4000-8000-000000000001',
    checkType: 'API',
    name: 'Orders API',
    activated: true,
    muted: false,
    locations: ['eu-west-1'],
    privateLocations: [],
    tags: [],
    alertSettings: null,
    useGlobalAlertSettings: true,
    groupId: null,
    groupOrder: null,
    alertChannelSubscriptions: [],
    description: null,
    runParallel: false,
    triggerIncident: null,
    doubleCheck: false,
    shouldFail: false,
    retryStrategy: null,
    runtimeId: null,
    frequency: 10,
    degradedResponseTime: 5000,
    maxResponseTime: 20_000,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    alertChannels: { email: [], webhook: [], slack: [], sms: [] },
    created_at: '2026-11-15T08:00:00.000Z',
    updated_at: null,
    request: {
      method: 'GET',
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4',
      body: '',
      bodyType: 'NONE',
      headers: [],
      queryParameters: [],
      assertions: [],
      basicAuth: null,
      ...request,
    },
  }) as ApiCheck
}

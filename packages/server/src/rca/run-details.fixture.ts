// Details in the format of agents, copied from real runs. Tests specify only the differences.
import type { Failure, RunDetail } from '@vedette/contracts'

interface HttpRun {
  url?: string
  ip?: string | null
  status?: number
  headers?: Record<string, string>
  body?: string
  phases?: Partial<Record<'wait' | 'dns' | 'tcp' | 'firstByte' | 'download' | 'total', number>>
  failure?: Failure
  tls?: object | null
  assertions?: object[]
  tried?: object[]
  diagnostics?: object
}

/** A complete exchange, unless the failure occurred before judging. */
export function httpDetail(run: HttpRun = {}): RunDetail {
  const { url = 'https://shop.test/api', ip = '192.0.2.1', status = 200, failure = null } = run
  const isAnswered = failure === null || failure.phase === 'judge'
  const phases = { wait: 0.9, dns: 4, tcp: 12, firstByte: 80, download: 2, total: 99, ...run.phases }
  const breakdown = { dns: 4, connect: 12, tls: 20, send: 0.3, wait: phases.firstByte - 20, receive: 2 }
  return {
    failure,
    assertions: run.assertions ?? [],
    observed: {
      request: { method: 'GET', url, data: '', headers: { accept: '*/*' }, params: {} },
      response: isAnswered
        ? {
            status,
            statusText: '',
            body: run.body ?? '{"total":3,"items":[{"id":1}]}',
            truncated: false,
            href: url,
            headers: { 'content-type': 'application/json', server: 'nginx', ...run.headers },
            timings: {},
            timingPhases: phases,
          }
        : null,
      requestError: isAnswered ? null : failure.message,
      tried: run.tried ?? [
        { address: `${ip}:443`, failure: isAnswered || failure.kind === 'tls' ? null : failure },
      ],
      tls: run.tls === undefined ? goodTls : run.tls,
      ip: isAnswered || failure.phase === 'tls' || failure.phase === 'wait' ? ip : null,
      breakdown: isAnswered ? breakdown : { ...breakdown, ...unreached(failure.phase) },
      redirects: [],
    },
    ...(run.diagnostics && { diagnostics: run.diagnostics }),
  }
}

function unreached(phase: Failure['phase']) {
  const late = { wait: null, receive: null }
  return phase === 'wait' ? late : { ...late, connect: phase === 'tls' ? 12 : null, tls: null, send: null }
}

const goodTls = tlsOf('2027-06-01T00:00:00.000Z', null, '13:77')

export function tlsOf(validTo: string, certificateError: string | null, fingerprint256: string) {
  return {
    protocol: 'TLSv1.3',
    cipher: 'TLS_AES_256_GCM_SHA384',
    alpn: 'http/1.1',
    certificateError,
    certificate: {
      subject: 'CN=shop.test',
      issuer: 'CN=Some authority',
      altNames: ['shop.test'],
      validFrom: '2026-01-01T00:00:00.000Z',
      validTo,
      fingerprint256,
      serialNumber: '02',
    },
    daysRemaining: 100,
  }
}

export function dnsDetail(records: string[], failure: Failure | null = null): RunDetail {
  return {
    failure,
    assertions: [],
    observed: {
      request: { query: 'shop.test', recordType: 'A', nameServer: null, port: null, protocol: 'UDP' },
      nameServerInfo: { host: '192.0.2.53', port: 53 },
      response: {
        returnCode: 'NOERROR',
        answer: {
          Answer: records.map((data) => ({ name: 'shop.test.', type: 'A', TTL: 60, data })),
          Question: [{ name: 'shop.test.', type: 'A' }],
          Status: 'NOERROR',
        },
        text: '',
        protocol: 'UDP',
        responseTime: 3,
      },
      requestError: null,
      tried: [{ address: '192.0.2.53:53', failure: null }],
    },
  }
}

export const failures = {
  refused: {
    kind: 'connect',
    message: 'The connection to 192.0.2.1:443 was refused.',
    phase: 'connect',
    address: '192.0.2.1:443',
    code: 'ECONNREFUSED',
  },
  timeout: {
    kind: 'timeout',
    message: 'The run timed out while waiting for the response.',
    phase: 'wait',
    address: '192.0.2.1:443',
    code: 'TIMEOUT',
  },
  dropped: {
    kind: 'timeout',
    message: 'The run timed out while connecting.',
    phase: 'connect',
    address: '192.0.2.1:443',
    code: 'TIMEOUT',
  },
  expired: {
    kind: 'tls',
    message: 'The certificate expired on 2026-11-15 00:00 UTC.',
    phase: 'tls',
    address: '192.0.2.1:443',
    code: 'CERT_HAS_EXPIRED',
  },
  slow: {
    kind: 'response_time',
    message: 'The response took 2103 ms, longer than the limit of 1000 ms (maxResponseTime).',
    phase: 'judge',
  },
  gone: {
    kind: 'assertion',
    message:
      'Expected $.total of the JSON body to be greater than "0", but the JSON body has no property $.total.',
    phase: 'judge',
  },
  script: {
    kind: 'script',
    message: 'The setup script "login" failed: Error: no token (setup.js:1)',
    phase: 'setup',
    code: 'SCRIPT_ERROR',
  },
  unresolved: {
    kind: 'dns',
    message: "The name shop.test couldn't be resolved (IPv4, ENOTFOUND).",
    phase: 'dns',
    code: 'ENOTFOUND',
  },
  blocked: {
    kind: 'blocked',
    message: "10.0.0.7:443 is a private address, and this agent doesn't connect to it.",
    phase: 'connect',
    address: '10.0.0.7:443',
    code: 'BLOCKED_ADDRESS',
  },
} as const satisfies Record<string, Failure>

export function statusFailure(status: number): Failure {
  return {
    kind: 'status',
    message: `Expected a status code below 400, but it was ${status}.`,
    phase: 'judge',
    code: String(status),
  }
}

export const totalAssertion = {
  source: 'JSON_BODY',
  property: '$.total',
  comparison: 'GREATER_THAN',
  target: '0',
  regex: '',
}

export function scriptDetail(name = 'login'): RunDetail {
  const message = failures.script.message.replace('login', name)
  return {
    failure: { ...failures.script, message },
    assertions: [],
    observed: null,
    jobLog: {
      setup: [{ time: 1, msg: 'asking for a token', level: 'INFO' }],
      request: [],
      teardown: [],
    },
  }
}

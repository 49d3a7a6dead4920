import { checkTypes } from '@vedette/contracts'
import { hostileTcp, hostileTls, hostileUdp } from './hostile.fixture.ts'
import { type Conforming, conformsToRunner } from './runner.conformance.ts'

const silent = hostileTcp[0]?.[1] ?? null
const web = { followRedirects: true, skipSSL: false, ipFamily: 'IPv4' }
const api = (scheme: string) => (port: number, secret: string) => ({
  ...web,
  method: 'POST',
  url: `${scheme}://ann:${encodeURIComponent(secret)}@127.0.0.1:${port}/?q=${encodeURIComponent(secret)}`,
  body: secret,
  bodyType: 'RAW',
  headers: [{ key: 'x-token', value: Buffer.from(secret).toString('base64') }],
  queryParameters: [{ key: 'token', value: secret }],
  basicAuth: null,
})
const url = (port: number, secret: string) => ({
  ...web,
  method: 'GET',
  url: `http://127.0.0.1:${port}/?q=${encodeURIComponent(secret)}`,
})
const dns = (protocol: string) => (port: number) => ({
  query: 'example.com',
  recordType: 'A',
  nameServer: '127.0.0.1',
  port,
  protocol,
})
const grpc = (tls: boolean) => (port: number, secret: string) => ({
  url: '127.0.0.1',
  port,
  ipFamily: 'IPv4',
  skipSSL: false,
  timeout: 60,
  grpcConfig: {
    mode: 'HEALTH',
    tls,
    service: secret,
    method: null,
    message: null,
    metadata: [{ key: 'x-token', value: Buffer.from(secret).toString('base64') }],
  },
})

const subjects: Conforming[] = [
  { name: 'API', checkType: 'API', request: api('http'), silent, hostile: hostileTcp },
  {
    name: 'API over TLS',
    checkType: 'API',
    request: api('https'),
    silent,
    hostile: [...hostileTcp, ...hostileTls],
  },
  { name: 'URL', checkType: 'URL', request: url, silent, hostile: hostileTcp },
  {
    name: 'TCP',
    checkType: 'TCP',
    request: (port, secret) => ({ hostname: '127.0.0.1', port, data: secret, ipFamily: 'IPv4' }),
    silent,
    hostile: hostileTcp,
    takesAnything: true,
  },
  { name: 'DNS over TCP', checkType: 'DNS', request: dns('TCP'), silent, hostile: hostileTcp },
  {
    name: 'DNS over UDP',
    checkType: 'DNS',
    request: dns('UDP'),
    silent: hostileUdp[0]?.[1] ?? null,
    hostile: hostileUdp,
  },
  { name: 'gRPC', checkType: 'GRPC', request: grpc(false), silent, hostile: hostileTcp },
  {
    name: 'gRPC over TLS',
    checkType: 'GRPC',
    request: grpc(true),
    silent,
    hostile: [...hostileTcp, ...hostileTls],
  },
  {
    name: 'ICMP',
    checkType: 'ICMP',
    request: () => ({ hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 50 }),
    silent: null,
    hostile: [],
  },
  {
    name: 'SSL',
    checkType: 'SSL',
    request: (port) =>
      checkTypes.SSL.input.shape.request.parse({ sslConfig: { hostname: '127.0.0.1', port } }),
    silent,
    hostile: hostileTcp,
  },
  {
    name: 'TRACEROUTE',
    checkType: 'TRACEROUTE',
    request: (port) => checkTypes.TRACEROUTE.input.shape.request.parse({ url: '127.0.0.1', port }),
    silent: null,
    hostile: [],
  },
]

for (const subject of subjects) conformsToRunner(subject)

// Everything but checks and groups, as checkly-go-sdk 1.22 writes it.
import type { References } from './checks.ts'
import { type Attributes, defaulted, type GoResource, ignored, omitted, required, sent } from './resource.ts'

/** By the number in its address. */
const numbered = (path: string) => ({
  create: path,
  read: ({ id }: { id: string | number }) => `${path}/${id}`,
  update: ({ id }: { id: string | number }) => `${path}/${id}`,
  remove: ({ id }: { id: string | number }) => `${path}/${id}`,
})

const channel = (type: string, config: object, change: object): GoResource => ({
  title: `alert channel ${type}`,
  ...numbered('/v1/alert-channels'),
  attributes: {
    id: ignored(0),
    type: required(type),
    config: required(config),
    sendRecovery: sent(true, false),
    sendFailure: sent(true, false),
    sendDegraded: sent(true, false),
    sslExpiry: sent(true, false),
    sslExpiryThreshold: sent(10, 30),
  },
  change: { config: { ...config, ...change } },
})

const webhook = {
  ...{ name: 'Hook', url: 'https://example.com/hook', method: 'get', webhookSecret: 's' },
  ...{ template: '{"a": "{{ALERT_TITLE}}"}', webhookType: 'WEBHOOK_DISCORD' },
  headers: [{ key: 'x-a', value: '1', locked: false }],
  queryParameters: [{ key: 'q', value: '2', locked: false }],
}

const channels: GoResource[] = [
  channel('EMAIL', { address: 'a@example.com' }, { address: 'b@example.com' }),
  channel('SLACK', { url: 'https://hooks.slack.com/a', channel: '#a' }, { channel: '#b' }),
  channel('SLACK_APP', { slackChannels: ['#a'] }, { slackChannels: ['#a', '#b'] }),
  channel('SMS', { name: 'a', number: '+4915112345678' }, { name: 'b' }),
  channel('CALL', { name: 'a', number: '+4915112345678' }, { name: 'b' }),
  channel('OPSGENIE', { name: 'a', apiKey: 'k', region: 'EU', priority: 'P2' }, { priority: 'P1' }),
  channel('PAGERDUTY', { account: 'a', serviceKey: 'k', serviceName: 's' }, { serviceName: 't' }),
  channel('WEBHOOK', webhook, { method: 'POST' }),
]

const dashboard: Attributes = {
  customUrl: required('as-code-dashboard'),
  customDomain: omitted('dashboard.example.com'),
  isPrivate: omitted(true),
  logo: omitted('https://example.com/logo.png'),
  link: omitted('https://example.com'),
  description: omitted('All of it'),
  favicon: omitted('https://example.com/icon.png'),
  header: required('As code'),
  showHeader: defaulted(false, true),
  showP95: defaulted(false, true),
  showP99: defaulted(false, true),
  width: sent('960PX', 'FULL'),
  refreshRate: sent(300, 60),
  checksPerPage: sent(10, 15),
  paginationRate: sent(30, 60),
  paginate: sent(true, false),
  tags: omitted(['a']),
  hideTags: omitted(true),
  useTagsAndOperator: omitted(true),
  enableIncidents: sent(true, false),
  expandChecks: sent(true, false),
  showCheckRunLinks: sent(true, false),
  customCSS: sent('.a{}', ''),
  created_at: ignored(''),
  updated_at: ignored(''),
}

const certificate = (host: string, { cert, key }: Pem): Attributes => ({
  host: required(host),
  cert: required(cert),
  key: { ...required(key), isWriteOnly: true },
  ca: required(cert),
  created_at: ignored('0001-01-01T00:00:00Z'),
})

export interface Pem {
  cert: string
  key: string
}

export const otherResources = ({ serviceId }: References, pem: Pem): GoResource[] => [
  ...channels,
  {
    title: 'dashboard',
    create: '/v1/dashboards',
    read: ({ dashboardId }) => `/v1/dashboards/${dashboardId}`,
    update: ({ dashboardId }) => `/v1/dashboards/${dashboardId}`,
    remove: ({ dashboardId }) => `/v1/dashboards/${dashboardId}`,
    attributes: dashboard,
    change: { header: 'Changed' },
  },
  {
    title: 'maintenance window',
    ...numbered('/v1/maintenance-windows'),
    attributes: {
      id: ignored(0),
      name: required('Night'),
      startsAt: required('2030-01-01T01:00:00.000Z'),
      endsAt: required('2030-01-01T02:00:00.000Z'),
      repeatInterval: required(1),
      repeatUnit: required('WEEK'),
      repeatEndsAt: omitted('2030-06-01T00:00:00.000Z'),
      tags: omitted(['a']),
      created_at: ignored(''),
      updated_at: ignored(''),
    },
    change: { name: 'Day' },
  },
  {
    title: 'private location',
    ...numbered('/v1/private-locations'),
    attributes: {
      id: ignored(''),
      name: required('Office'),
      slugName: required('tf-test-pl-d-60144'),
      icon: required('bell'),
      created_at: ignored(''),
      updated_at: ignored(''),
    },
    change: { name: 'Lab' },
  },
  {
    title: 'environment variable',
    create: '/v1/variables',
    read: ({ key }) => `/v1/variables/${key}`,
    update: ({ key }) => `/v1/variables/${key}`,
    remove: ({ key }) => `/v1/variables/${key}`,
    attributes: {
      key: required('AS_CODE'),
      value: required('1'),
      locked: sent(true, false),
      secret: required(false),
    },
    change: { value: '2' },
  },
  {
    title: 'snippet',
    ...numbered('/v1/snippets'),
    attributes: {
      id: ignored(0),
      name: required('as-code'),
      script: required('const a = 1'),
      createdAt: ignored('0001-01-01T00:00:00Z'),
      updatedAt: ignored('0001-01-01T00:00:00Z'),
    },
    change: { script: 'const b = 1' },
  },
  {
    title: 'client certificate',
    ...numbered('/v1/client-certificates'),
    update: null,
    attributes: certificate('*.example.com', pem),
    change: {},
  },
  {
    title: 'status page service',
    ...numbered('/v1/status-pages/services'),
    attributes: { name: required('Shop') },
    change: { name: 'Store' },
  },
  {
    title: 'status page',
    ...numbered('/v1/status-pages'),
    attributes: {
      name: required('Status'),
      url: required('as-code-status'),
      customDomain: omitted('status.example.com'),
      logo: omitted('https://example.com/logo.png'),
      redirectTo: omitted('https://example.com'),
      favicon: omitted('https://example.com/icon.png'),
      defaultTheme: required('DARK'),
      cards: required([{ name: 'All', services: [{ id: serviceId, name: '' }] }]),
    },
    change: { name: 'Renamed' },
  },
]

// Everything but checks: the resources of the provider, by kind.
import {
  alertSettings,
  assertions,
  basicAuth,
  environmentVariables,
  retryStrategy,
  subscriptions,
} from './check-tables.ts'
import {
  allAlways,
  always,
  block,
  blocks,
  constant,
  type Field,
  type Json,
  pairs,
  reference,
  secret,
  type Table,
  value,
  values,
} from './table.ts'

/** Set by the server, or by the project that a resource belongs to. */
const managed = [
  ...['id', 'created_at', 'updated_at', 'accountId'],
  ...['project', 'logicalId', 'drifted', 'projectBindings'],
]

/** Which settings a group enforces: null isn't enforced. */
const isEnforced = (name: string) => (group: Json) => group[name] !== null && group[name] !== undefined
const hasLocations = ({ locations, privateLocations }: Json) =>
  [locations, privateLocations].some((list) => Array.isArray(list) && list.length > 0)

const enforced = (name: string, fields: readonly Field[], isWritten: (group: Json) => boolean) =>
  block(name, [constant('enabled', true), ...fields], { path: '', isWritten })

const isRetryEnforced = ({ retryStrategy: strategy }: Json) => strategy !== 'FALLBACK'

/** A script or a snippet: the provider accepts one of them. */
const scriptOf = (name: string, script: string, snippet: string): Field[] => [
  block(name, [value('inline_script', { path: script })], {
    path: '',
    isWritten: (group) => Boolean(group[script]),
  }),
  block(name, [reference('snippet_id', 'snippet', snippet)], {
    path: '',
    isWritten: (group) => !group[script] && Boolean(group[snippet]),
  }),
]

export const groupTable: Table = {
  resource: 'checkly_check_group_v2',
  fields: [
    value('name'),
    ...allAlways('activated', 'concurrency'),
    ...values('muted', 'tags'),
    block('default_runtime', [value('runtime_id')], { path: '' }),
    environmentVariables,
    ...scriptOf('setup_script', 'localSetupScript', 'setupSnippetId'),
    ...scriptOf('teardown_script', 'localTearDownScript', 'tearDownSnippetId'),
    enforced(
      'enforce_alert_settings',
      [always('use_global_alert_settings'), alertSettings, subscriptions],
      isEnforced('useGlobalAlertSettings'),
    ),
    enforced(
      'enforce_locations',
      [value('locations'), reference('private_locations', 'private-location')],
      hasLocations,
    ),
    enforced('enforce_scheduling_strategy', [always('run_parallel')], isEnforced('runParallel')),
    { ...enforced('enforce_retry_strategy', [retryStrategy], isRetryEnforced), isInert: true },
    block('api_check_defaults', [
      always('url'),
      pairs('headers'),
      pairs('query_parameters'),
      assertions,
      basicAuth,
    ]),
  ],
  ignored: [...managed, 'doubleCheck'],
}

const channelSwitches = allAlways(
  ...['send_recovery', 'send_failure', 'send_degraded', 'ssl_expiry', 'ssl_expiry_threshold'],
)

const channel = (name: string, config: readonly Field[]): Table => ({
  resource: 'checkly_alert_channel',
  fields: [...channelSwitches, block(name, config, { path: 'config' })],
  ignored: [...managed, 'type', 'subscriptions', 'health'],
})

const phone = values('name', 'number')

export const channelTables = {
  EMAIL: channel('email', [value('address')]),
  SLACK: channel('slack', [secret('url'), value('channel')]),
  SLACK_APP: channel('slack_app', [value('slack_channels')]),
  SMS: channel('sms', phone),
  CALL: channel('call', phone),
  PAGERDUTY: channel('pagerduty', [...values('account', 'service_name'), secret('service_key')]),
  OPSGENIE: channel('opsgenie', [value('name'), secret('api_key'), ...values('region', 'priority')]),
  WEBHOOK: channel('webhook', [
    value('name'),
    secret('url'),
    ...values('method', 'template', 'webhook_type'),
    // Empty: there is none.
    value('webhook_secret', {
      secretName: ({ webhookSecret }) => (webhookSecret ? 'webhook_secret' : undefined),
    }),
    pairs('headers', { isSecret: true }),
    pairs('query_parameters', { isSecret: true }),
  ]),
}

const secretKey = ({ key, locked, secret: isSecret }: Json) =>
  locked === true || isSecret === true ? String(key) : undefined

const visibility = block('status_page_visibility', [
  ...values('enabled', 'severity', 'affect_all_services', 'notify_on_start', 'notify_on_end'),
  ...values('suppress_auto_incidents', 'reminder_minutes_before'),
  ...allAlways('auto_start', 'auto_end', 'show_affected_services'),
  reference('status_page_ids', 'status-page'),
  reference('service_ids', 'status-page-service'),
])

const pageAddress = values('custom_domain', 'logo', 'favicon', 'redirect_to', 'default_theme')
const pageIgnored = [
  ...[...managed, 'customDomainStatus', 'whiteLabel', 'version', 'keys', 'incidents'],
  ...['components', 'cards'],
]

const colors = values(
  ...['body_background_color', 'header_background_color', 'header_font_color', 'title_font_color'],
  ...['body_font_color', 'body_font_color_muted', 'navigation_font_color', 'link_font_color'],
  ...[
    'card_background_color',
    'border_color',
    'primary_button_background_color',
    'primary_button_font_color',
  ],
)

export const otherTables = {
  'private-location': {
    resource: 'checkly_private_location',
    fields: values('name', 'slug_name', 'icon'),
    ignored: [...managed, 'keys', 'lastSeen', 'agentCount', 'minAgentVersion', 'runningAgents'],
  },
  'maintenance-window': {
    resource: 'checkly_maintenance_windows',
    fields: [
      ...values('name', 'starts_at', 'ends_at', 'repeat_unit', 'repeat_interval', 'repeat_ends_at', 'tags'),
      ...values('timezone', 'pause_all_checks', 'silence_alerts_tags', 'silence_all_alerts', 'description'),
      visibility,
    ],
    ignored: [...managed],
  },
  dashboard: {
    resource: 'checkly_dashboard',
    fields: [
      ...values('custom_url', 'header', 'custom_domain', 'logo', 'favicon', 'link', 'description'),
      ...allAlways('show_header', 'show_p95', 'show_p99'),
      ...values('width', 'refresh_rate', 'checks_per_page', 'pagination_rate'),
      always('paginate'),
      ...values('tags', 'hide_tags', 'use_tags_and_operator', 'enable_incidents', 'expand_checks'),
      ...values('show_check_run_links', 'is_private'),
      value('custom_css', { path: 'customCSS' }),
    ],
    ignored: [...managed, 'dashboardId', 'keys', 'customDomainStatus'],
    defaults: { showGroupNames: true },
  },
  'status-page-service': {
    resource: 'checkly_status_page_service',
    fields: values('name'),
    ignored: [...managed],
  },
  'status-page': {
    resource: 'checkly_status_page',
    fields: [
      ...values('name', 'url'),
      ...pageAddress,
      blocks('card', 'cards', [
        value('name'),
        {
          field: 'value-blocks',
          name: 'service_attachment',
          path: 'services',
          attribute: 'service_id',
          itemPath: 'id',
          kind: 'status-page-service',
        },
      ]),
    ],
    ignored: pageIgnored,
    defaults: { allowIndexing: true },
  },
  'status-page-v3': {
    resource: 'checkly_status_page_v3',
    fields: [
      ...values('name', 'url', 'description'),
      ...pageAddress,
      ...values('logo_dark', 'privacy_policy_link', 'terms_of_service_link', 'support_link', 'footer_text'),
      value('google_analytics_tag'),
      always('allow_indexing'),
      block('theme_colors', [block('light', colors), block('dark', colors)]),
    ],
    ignored: pageIgnored,
  },
  'status-page-component': {
    resource: 'checkly_status_page_v3_component',
    fields: [
      reference('status_page_id', 'status-page'),
      ...values('type', 'name', 'description'),
      always('display_order'),
      value('hidden'),
      reference('parent_id', 'status-page-component'),
      always('expanded_by_default', { path: 'configuration.expandedByDefault' }),
      always('show_historical_data', { path: 'configuration.showHistoricalData' }),
    ],
    ignored: [...managed, 'serviceId'],
  },
  'status-page-automation-rule': {
    resource: 'checkly_status_page_v3_automation_rule',
    fields: [
      reference('status_page_id', 'status-page'),
      value('name'),
      always('enabled'),
      ...values('tags', 'first_update', 'last_update'),
      ...allAlways('notify_subscribers', 'cool_down_window_minutes'),
      blocks('component', 'components', [
        reference('component_id', 'status-page-component'),
        value('target_impact'),
      ]),
    ],
    ignored: managed,
  },
  variable: {
    resource: 'checkly_environment_variable',
    fields: [value('key'), always('value', { secretName: secretKey }), ...values('locked', 'secret')],
    ignored: managed,
  },
  snippet: {
    resource: 'checkly_snippet',
    fields: values('name', 'script'),
    ignored: managed,
  },
  'client-certificate': {
    resource: 'checkly_client_certificate',
    fields: [
      value('host'),
      value('certificate', { path: 'cert' }),
      secret('private_key', { path: 'key' }),
      value('trusted_ca', { path: 'ca' }),
    ],
    ignored: managed,
  },
  'check-trigger': {
    resource: 'checkly_trigger_check',
    fields: [reference('check_id', 'check')],
    ignored: [...managed, 'token', 'called_at', 'name', 'url', 'groupId'],
  },
  'group-trigger': {
    resource: 'checkly_trigger_group',
    fields: [reference('group_id', 'check-group')],
    ignored: [...managed, 'token', 'called_at', 'name', 'url', 'checkId'],
  },
} satisfies Record<string, Table>

// The dependency rules of docs/architecture.md as a table, which scripts/check-zones.mjs enforces.
// A file belongs to the first zone whose pattern it matches; a file without a zone is an error.

const server = 'packages/server/src'
const agent = 'packages/agent/src'

/** What every layer of the server may import. */
const ground = ['contracts', 'safeguards', 'ground']

/** The parts of alerting. A part may import `message`, and the zones in its own row. */
const alerting = [
  'alerting/message',
  'alerting/decision',
  'alerting/channels',
  'alerting/delivery',
  'alerting/mails',
  'alerting/backtest',
]

/** The stages that a run passes through, each allowed to import those before it. Schedule is separate: see its row. */
const flow = [...ground, 'storage', 'states', ...alerting, 'blobs', 'ingest']
const upTo = (zone) => flow.slice(0, flow.indexOf(zone) + 1)
const stages = [...flow, 'schedule', 'dispatch']
const useCases = ['accounts/oidc', 'accounts', 'checks', 'runs', 'alerts', 'pages/use-cases', 'projects']
const layers = [
  ...stages,
  'analytics',
  'rca',
  'housekeeping',
  'prometheus',
  'overview',
  ...useCases,
  'http',
  'pages/images',
  'pages',
  'live',
]

const ofServer = (zone, imports) => ({ zone, files: [`${server}/${zone}/**`], imports, guarded: true })
const ofAgent = (name, imports) => ({
  zone: `agent/${name}`,
  files: [`${agent}/${name}/**`],
  imports: ['contracts', 'safeguards', ...imports.map((other) => `agent/${other}`)],
  guarded: true,
})
const agentLayers = [
  'core',
  'scrub',
  'net',
  'runtimes',
  'connection',
  'artifacts',
  'checks',
  'judge',
  'sandbox',
  'run',
  'code',
]

/**
 * `imports`: the zones it may import besides itself. `packages`: the only npm packages it may import (absent: any).
 * `typesOnly`: zones of which only types.
 * `builtins: false`: no Node built-ins. `guarded: true`: the restrictions below apply.
 */
export const zones = [
  // Functions without schemas, which the app may load too.
  {
    zone: 'contracts/functions',
    files: ['packages/contracts/src/{core/objects,results/script-errors}.ts'],
    imports: [],
    packages: [],
    builtins: false,
  },
  {
    zone: 'contracts',
    files: ['packages/contracts/src/**'],
    imports: ['contracts/functions'],
    packages: ['zod'],
    builtins: false,
  },

  // Loaded by the app: types of contracts leave nothing in its bundle.
  {
    zone: 'as-code',
    files: ['packages/as-code/src/**'],
    imports: ['contracts'],
    typesOnly: ['contracts'],
    packages: [],
    builtins: false,
    guarded: true,
  },

  {
    zone: 'safeguards',
    files: ['packages/safeguards/src/**'],
    imports: ['contracts'],
    packages: ['handlebars', 'json-p3', 'koffi', 'lru-cache', 're2js'],
    guarded: true,
  },

  { zone: 'testing', files: [`${server}/testing/**`], imports: [...layers, 'operate', 'main', 'as-code'] },
  ofServer('storage', upTo('ground')),
  ofServer('states', upTo('storage')),

  // message ← channels ← delivery ← mails; message ← decision ← backtest.
  ofServer('alerting/message', upTo('states')),
  ofServer('alerting/decision', [...upTo('states'), 'alerting/message']),
  ofServer('alerting/channels', [...upTo('states'), 'alerting/message']),
  ofServer('alerting/delivery', [...upTo('states'), 'alerting/message', 'alerting/channels']),
  ofServer('alerting/mails', upTo('alerting/delivery')),
  ofServer('alerting/backtest', [...upTo('states'), 'alerting/message', 'alerting/decision']),

  ofServer('blobs', [...upTo('states'), 'alerting/channels']),
  ofServer('ingest', upTo('blobs')),
  // Arithmetic on stored plans, independent of results and claims.
  ofServer('schedule', upTo('storage')),
  ofServer('dispatch', [...flow, 'schedule']),
  ofServer('analytics', stages),
  ofServer('rca', stages),
  ofServer('overview', [...stages, 'analytics']),
  ofServer('housekeeping', [...stages, 'analytics']),
  // Use cases: in the caller's transaction, and without HTTP.
  // The identity provider is called by the HTTP client of channels.
  ofServer('accounts/oidc', [...upTo('states'), 'alerting/channels']),
  ofServer('accounts', [...upTo('storage'), 'accounts/oidc']),
  ofServer('checks', [...upTo('storage'), 'schedule', 'accounts']),
  ofServer('runs', [...stages, 'accounts', 'checks']),
  ofServer('alerts', [...upTo('storage'), 'accounts']),
  ofServer('pages/use-cases', upTo('storage')),
  // A deployment changes resources of all areas, through their use cases.
  ofServer('projects', [...upTo('storage'), 'accounts', 'checks', 'runs', 'alerts', 'pages/use-cases']),
  // Routes reach the schedule through use cases only.
  ofServer('http', [...flow, 'dispatch', 'analytics', 'rca', 'prometheus', 'overview', ...useCases]),
  // Another entry point than HTTP: its clients follow their runs.
  ofServer('live', [...stages]),
  ofServer('pages/images', [...upTo('states'), 'alerting/channels']),
  ofServer('pages', [...upTo('states'), 'blobs', 'analytics']),
  {
    zone: 'operate',
    files: [`${server}/operate/**`, `${server}/operate.ts`],
    // The client of the mail server is among the channels.
    imports: [...upTo('storage'), 'pages', 'alerting/channels'],
    guarded: true,
  },
  {
    zone: 'main',
    files: [
      `${server}/{main,server,database,loops,alert-loops,generate}.ts`,
      `${server}/{alert-loops,database}.test.ts`,
      `${server}/startup/**`,
    ],
    // generate.ts describes the operator's commands.
    imports: [...layers, 'operate'],
    guarded: true,
  },
  {
    zone: 'ground',
    files: [
      `${server}/config{,.test}.ts`,
      `${server}/{config,core,links,look}/*.ts`,
      // Counters for every layer.
      `${server}/prometheus/{exposition,metrics,metrics.test}.ts`,
    ],
    imports: ['contracts', 'safeguards'],
    guarded: true,
  },
  ofServer('prometheus', stages),

  // Complete runs and the server that they report to, for tests of every layer.
  {
    zone: 'testing',
    files: [`${agent}/checks/runner.conformance.ts`],
    imports: ['contracts', 'safeguards', ...agentLayers.map((name) => `agent/${name}`)],
  },
  {
    zone: 'agent/core',
    files: [`${agent}/core/**`, `${agent}/config{,.test}.ts`],
    imports: ['contracts', 'safeguards'],
    guarded: true,
  },
  ofAgent('scrub', ['core']),
  ofAgent('runtimes', ['core']),
  ofAgent('connection', ['core']),
  ofAgent('artifacts', ['core', 'scrub', 'connection']),
  // net ← checks ← judge ← run; sandbox ← run ← code.
  ofAgent('net', ['core']),
  ofAgent('checks', ['core', 'net']),
  ofAgent('judge', ['core', 'net', 'checks']),
  ofAgent('sandbox', ['core', 'scrub', 'net', 'runtimes']),
  ofAgent('run', ['core', 'scrub', 'net', 'connection', 'checks', 'judge', 'sandbox']),
  ofAgent('code', agentLayers),
  ofAgent('process', agentLayers),
  // The agent's protocol without its runs, for drills and benchmarks with many agents.
  {
    zone: 'agent/simulated',
    files: [`${agent}/main-simulated.ts`],
    imports: ['contracts', 'safeguards', ...agentLayers.map((name) => `agent/${name}`), 'agent/process'],
    packages: [],
  },
  {
    zone: 'agent/main',
    files: [`${agent}/*.ts`],
    imports: ['contracts', 'safeguards', ...[...agentLayers, 'process'].map((name) => `agent/${name}`)],
    guarded: true,
  },

  // Forms validate as typed. Their screens load these schemas with their own code.
  {
    zone: 'web/schemas',
    files: ['packages/web/src/forms/{schemas/**,issues-of.ts}'],
    imports: ['contracts', 'web'],
    packages: [],
    builtins: false,
    guarded: true,
  },
  // Types of contracts leave nothing in the bundle; schemas would add 60 kB to it.
  {
    zone: 'web',
    files: ['packages/web/src/**'],
    imports: ['contracts/functions', 'contracts', 'as-code', 'web/schemas'],
    typesOnly: ['contracts'],
    packages: [
      '@codemirror/autocomplete',
      '@codemirror/commands',
      '@codemirror/lang-javascript',
      '@codemirror/language',
      '@codemirror/state',
      '@codemirror/view',
      '@lezer/highlight',
      '@tanstack/react-query',
      '@tanstack/react-virtual',
      'react',
      'react-aria-components',
      'react-dom',
      'uplot',
      'uqr',
      'wouter',
    ],
    builtins: false,
    guarded: true,
  },
  {
    zone: 'cli',
    files: ['packages/cli/src/**'],
    imports: ['contracts', 'as-code'],
    packages: ['tar-stream'],
    guarded: true,
  },
  { zone: 'cli bin', files: ['packages/cli/bin/**'], imports: ['cli'], packages: [] },
  { zone: 'e2e', files: ['e2e/**'], imports: ['contracts', 'agent/simulated'] },
  {
    zone: 'bench',
    files: ['bench/**'],
    // The figures of `vedette capacity`, which a bench writes.
    imports: ['contracts', 'agent/simulated', 'operate'],
    typesOnly: ['operate'],
  },
  { zone: 'scripts', files: ['scripts/**'], imports: [] },
  { zone: 'root', files: ['*.{config,setup}.{ts,mjs}'], imports: [] },
]

/** The file of each package name, including published subpaths. */
export const packageEntries = {
  '@vedette/as-code/account-resources': 'packages/as-code/src/account-resources.ts',
  '@vedette/as-code/channel-code': 'packages/as-code/src/channel-code.ts',
  '@vedette/as-code/check-code': 'packages/as-code/src/check-code.ts',
  '@vedette/as-code/curl': 'packages/as-code/src/curl.ts',
  '@vedette/as-code/export-account': 'packages/as-code/src/export-account.ts',
  '@vedette/as-code/export-terraform': 'packages/as-code/src/terraform/export-terraform.ts',
  '@vedette/as-code/group-code': 'packages/as-code/src/group-code.ts',
  '@vedette/as-code/location-code': 'packages/as-code/src/location-code.ts',
  '@vedette/as-code/page-code': 'packages/as-code/src/page-code.ts',
  '@vedette/as-code/resource-as-terraform': 'packages/as-code/src/terraform/resource-as-terraform.ts',
  '@vedette/as-code/resource-names': 'packages/as-code/src/resource-names.ts',
  '@vedette/as-code/resources-as-constructs': 'packages/as-code/src/constructs/resources-as-constructs.ts',
  '@vedette/as-code/secret-names': 'packages/as-code/src/secret-names.ts',
  '@vedette/as-code/shared-code': 'packages/as-code/src/shared-code.ts',
  '@vedette/as-code/terraform-table': 'packages/as-code/src/terraform/table.ts',
  '@vedette/as-code/terraform-tables': 'packages/as-code/src/terraform/tables.ts',
  '@vedette/as-code/window-code': 'packages/as-code/src/window-code.ts',
  '@vedette/contracts': 'packages/contracts/src/index.ts',
  '@vedette/contracts/page-metrics': 'packages/contracts/src/results/page-metrics.ts',
  '@vedette/contracts/remote-clock': 'packages/contracts/src/core/remote-clock.ts',
  '@vedette/contracts/runs': 'packages/contracts/src/runs/runs.ts',
  '@vedette/contracts/runtime-ids': 'packages/contracts/src/runs/runtime-ids.ts',
  '@vedette/contracts/script-errors': 'packages/contracts/src/results/script-errors.ts',
  '@vedette/contracts/script-path': 'packages/contracts/src/checks/script-path.ts',
  '@vedette/contracts/type-facts': 'packages/contracts/src/checks/type-facts.generated.ts',
  '@vedette/safeguards/address-policy': 'packages/safeguards/src/address-policy.ts',
  '@vedette/safeguards/alert-template': 'packages/safeguards/src/template/alert-template.ts',
  '@vedette/safeguards/client-certificate': 'packages/safeguards/src/client-certificate.ts',
  '@vedette/safeguards/errors': 'packages/safeguards/src/errors.ts',
  '@vedette/safeguards/json-path': 'packages/safeguards/src/expressions/json-path.ts',
  '@vedette/safeguards/log-line': 'packages/safeguards/src/log-line.ts',
  '@vedette/safeguards/markup': 'packages/safeguards/src/markup.ts',
  '@vedette/safeguards/regex': 'packages/safeguards/src/expressions/regex.ts',
  '@vedette/safeguards/template': 'packages/safeguards/src/template/render.ts',
  '@vedette/safeguards/trim-memory': 'packages/safeguards/src/trim-memory.ts',
  '@vedette/agent/doctor': 'packages/agent/src/main-doctor.ts',
  '@vedette/agent/main': 'packages/agent/src/main.ts',
  '@vedette/agent/simulated': 'packages/agent/src/main-simulated.ts',
  '@vedette/agent/main-uptime': 'packages/agent/src/main-uptime.ts',
  '@vedette/agent/runtime': 'packages/agent/src/main-runtime.ts',
  'vedette/client': 'packages/cli/src/client.ts',
  '@vedette/server/capacity-figures': `${server}/operate/capacity/figures.ts`,
  '@vedette/server/main': `${server}/main.ts`,
  '@vedette/server/operate': `${server}/operate.ts`,
}

/** Tests and fixtures may use restricted packages and import testing/; the order of layers applies to them too. */
export const testFiles = [
  '**/*.test.{ts,tsx,mjs}',
  '**/*.story.ts',
  '**/*.conformance.ts',
  '**/*.fixture.ts',
  `${server}/testing/**`,
]

/** What only some files of guarded zones may use. */
export const restricted = {
  database: {
    // Benchmarks and drills inspect the store.
    only: [`${server}/storage/**`, 'bench/**', 'e2e/**'],
    packages: ['pg', 'kysely', 'pg-copy-streams', 'pg-pool', 'pg-cursor', 'pg-query-stream', 'postgres'],
  },
  // Inside a cell: it loads modules of the runtime, not of this repository.
  dynamic: { only: ['packages/agent/src/code/script/programs/*.cjs'] },
  // In the sandbox, the environment belongs to the script, and the network is a socket of the agent.
  environment: {
    only: [
      'packages/*/src/config.ts',
      'packages/agent/src/sandbox/child/main.ts',
      'packages/agent/src/sandbox/cell-programs/*',
      'packages/agent/src/code/script/programs/*.cjs',
      // Runs inside a suite's cell, where the environment belongs to the suite.
      'packages/agent/src/code/suite/inside/*.cjs',
    ],
  },
  network: {
    only: [
      // c-socket: ping, trace and capture sockets, which Node doesn't have.
      'packages/agent/src/net/{dial,dns-query,c-socket}.ts',
      'packages/agent/src/sandbox/child/network.ts',
      // Inside a cell: connections end at the agent's socket file.
      'packages/agent/src/sandbox/cell-programs/*',
      // Inside a cell: it observes connections and opens none.
      'packages/agent/src/code/script/programs/idle.cjs',
      // The agent's connection to its server.
      'packages/agent/src/connection/server-exchange.ts',
      // To alert channels and the operator's mail server.
      `${server}/alerting/channels/transport/{http,smtp}.ts`,
      // Accepts connections, and opens none.
      `${server}/live/live-results.ts`,
      // From the browser to its own server.
      'packages/web/src/{api/call,api/build,live/event-stream,live/test-progress}.ts',
      // To the operator's identity provider: openid-client with the guarded client of channels instead of fetch.
      `${server}/accounts/oidc/provider.ts`,
      // To the operator's bucket.
      `${server}/blobs/bucket-http.ts`,
    ],
    packages: [
      'http',
      'https',
      'http2',
      'net',
      'tls',
      'dgram',
      'undici',
      'axios',
      'got',
      'node-fetch',
      'ws',
      'nodemailer',
      'openid-client',
    ],
    // These open no outgoing connection.
    allowedNames: [
      'createServer',
      'createSecureServer',
      'isIP',
      'isIPv4',
      'isIPv6',
      'BlockList',
      'STATUS_CODES',
    ],
    globals: ['fetch', 'WebSocket', 'EventSource'],
  },
}

/**
 * Files that a list imports from its own directory or below: no other file there imports them, so listed files don't import
 * each other. `shared` files, relative to the list, are the exception.
 */
export const siblings = [
  { list: 'packages/contracts/src/checks/index.ts', shared: ['base.ts', 'definition.ts'] },
  { list: 'packages/contracts/src/alerts/channels/index.ts', shared: [] },
  { list: `${server}/http/routes.ts`, shared: ['transport/{deps,mount}.ts'] },
  { list: `${server}/alerting/channels/index.ts`, shared: ['channel.ts'] },
  { list: 'packages/agent/src/checks/index.ts', shared: ['runner.ts', 'http-run.ts'] },
]

/** The only files that may re-export other files. */
export const barrels = [
  'packages/contracts/src/index.ts',
  'packages/*/src/checks/index.ts',
  'packages/contracts/src/alerts/channels/index.ts',
  `${server}/alerting/channels/index.ts`,
  `${server}/http/routes.ts`,
]

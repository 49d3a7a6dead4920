// The environment of a suite's commands, of the install and of the tests.
import type { Job } from '@vedette/contracts'
import type { Cell } from '../../sandbox/cell.ts'
import { jobFacts } from '../job-environment.ts'
import { insideFolders } from './cell-paths.ts'
import type { PackageManagerName } from './package-manager.ts'
import { type Registry, registryEnvironment } from './registry.ts'
import type { PreparedSuite } from './suite-deps.ts'

/** Our variables override those of the check: a PATH among them would break every command. */
function suiteEnvironment(job: Job, cell: Cell): Record<string, string> {
  const { home, bin } = insideFolders(cell)
  const { environment } = cell
  const nodeOptions = [environment.NODE_OPTIONS, job.variables.NODE_OPTIONS].filter(Boolean).join(' ')
  return {
    ...job.variables,
    ...environment,
    PATH: [bin, environment.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(':'),
    HOME: home,
    ...(nodeOptions && { NODE_OPTIONS: nodeOptions }),
    ...jobFacts(job),
    RUN_SOURCE: job.source,
    FORCE_COLOR: '0',
    // The agent provides the browsers.
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
    YARN_ENABLE_TELEMETRY: '0',
    // `npx` and findPlaywright need packages in directories.
    YARN_NODE_LINKER: 'node-modules',
  }
}

export function installEnvironment(job: Job, cell: Cell, manager: PackageManagerName, registry: Registry) {
  const { home } = insideFolders(cell)
  return {
    ...suiteEnvironment(job, cell),
    ...registryEnvironment(registry, home),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    ...(manager === 'pnpm' && {
      // Links into the store would break without the store.
      npm_config_package_import_method: 'copy',
      npm_config_store_dir: `${home}/pnpm-store`,
      npm_config_manage_package_manager_versions: 'false',
    }),
  }
}

export function testEnvironment(
  job: Job,
  { cell, inside, browsers, hasVideo }: PreparedSuite,
  userAgent: string,
): Record<string, string> {
  const { report } = insideFolders(cell)
  const shared = suiteEnvironment(job, cell)
  return {
    ...shared,
    NODE_OPTIONS: [shared.NODE_OPTIONS, `--require ${inside}/hook.cjs`].filter(Boolean).join(' '),
    VEDETTE_SUITE: JSON.stringify({ inside, report, userAgentSuffix: userAgent, hasVideo }),
    PLAYWRIGHT_BROWSERS_PATH: browsers,
    // Otherwise the reporter serves the report of a failed run until the time is up.
    PLAYWRIGHT_HTML_OPEN: 'never',
    PW_TEST_HTML_REPORT_OPEN: 'never',
  }
}

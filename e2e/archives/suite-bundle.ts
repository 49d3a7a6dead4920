// A suite as in a repository: packages with a lock file, a configuration, tests.
import { tarGz } from './tar-gz.ts'

const version = '1.58.2'

const manifest = {
  name: 'shop-suite',
  version: '1.0.0',
  private: true,
  devDependencies: { '@playwright/test': version },
}

/** Without addresses: packages come from the configured registry. */
const lock = {
  name: manifest.name,
  version: manifest.version,
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': manifest,
    'node_modules/@playwright/test': {
      version,
      integrity:
        'sha512-akea+6bHYBBfA9uQqSYmlJXn61cTa+jbO87xVLCWbTqbWadRVmhxlXATaOjOgcBaWU4ePo0wB41KMFv3o35IXA==',
      dev: true,
      dependencies: { playwright: version },
      bin: { playwright: 'cli.js' },
    },
    'node_modules/playwright': {
      version,
      integrity:
        'sha512-vA30H8Nvkq/cPBnNw4Q8TWz1EJyqgpuinBcHET0YVJVFldr8JDNiU9LaWAE1KqSkRYazuaBhTpB5ZzShOezQ6A==',
      dev: true,
      dependencies: { 'playwright-core': version },
      bin: { playwright: 'cli.js' },
    },
    'node_modules/playwright-core': {
      version,
      integrity:
        'sha512-yZkEtftgwS8CsfYo7nm0KE8jsvm6i/PTgVtB8DL726wNf6H2IMsDuxCpJj59KDaxCtSnrWan2AeDqM7JBaultg==',
      dev: true,
      bin: { 'playwright-core': 'cli.js' },
    },
  },
}

const config = `import { defineConfig } from '@playwright/test'
export default defineConfig({ testDir: 'tests', retries: 0, workers: 1, timeout: 30_000 })
`

export function suiteBundle(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return tarGz({
    'package.json': JSON.stringify(manifest, null, 2),
    'package-lock.json': JSON.stringify(lock, null, 2),
    'playwright.config.ts': config,
    ...files,
  })
}

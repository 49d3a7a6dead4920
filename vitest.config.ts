import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that start processes, browsers or cells, or change their own process: their workers run no others. */
const processTests = [
  'e2e/**/*.test.ts',
  'scripts/**/*.test.{mjs,ts}',
  'packages/agent/src/*.test.ts',
  'packages/agent/src/{code,process,runtimes,sandbox}/**/*.test.ts',
  'packages/cli/src/**/*.test.ts',
  'packages/server/src/*.test.ts',
  'packages/server/src/{operate,startup,storage/embedded}/**/*.test.ts',
]

/** Test files with a test or a group that takes so long that it is a story. */
const tagged = globSync('{e2e,packages/*/src,scripts}/**/*.test.ts').filter((path) =>
  readFileSync(path, 'utf8').includes("tags: ['story']"),
)

/** The long ones first. Vitest reuses a worker only while the next file belongs to the same project. */
const projectOrder = ['process', 'api', 'unit', 'stories', 'tagged']

class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ({ project }: TestSpecification) => projectOrder.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => order(a) - order(b))
  }
}

const common = {
  setupFiles: ['vitest.setup.ts'],
  pool: 'forks' as const,
  // Several times what a quiet machine needs: a busy one must not make a test fail.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  tags: [{ name: 'story', description: 'Runs in `npm run stories`, not in `npm test`.' }],
}

/** `npm test` runs unit, api and process; `npm run stories` runs stories and tagged. */
const projects = [
  {
    name: 'unit',
    include: ['packages/{as-code,contracts,safeguards,agent,web}/src/**/*.test.ts'],
    exclude: processTests,
    isolate: false,
    tagsFilter: ['!story'],
  },
  {
    name: 'api',
    include: ['packages/server/src/**/*.test.ts'],
    exclude: processTests,
    isolate: false,
    tagsFilter: ['!story'],
  },
  { name: 'process', include: processTests, isolate: false, tagsFilter: ['!story'] },
  {
    name: 'stories',
    include: [
      '{e2e,packages/*/src,scripts}/**/*.story.ts',
      // With more generated requests than `npm test` has time for.
      'packages/server/src/http/properties.test.ts',
    ],
    env: { PROPERTY_RUNS: process.env.PROPERTY_RUNS ?? '50' },
  },
  { name: 'tagged', include: tagged, tagsFilter: ['story'] },
]

export default defineConfig({
  test: {
    // One PostgreSQL for all projects.
    globalSetup: ['packages/server/src/testing/global-setup.ts'],
    // What so many tests have in common is found sooner without the rest, which may wait for their limits.
    bail: 30,
    // Twice the cores of a small machine: most tests wait for processes and PostgreSQL.
    maxWorkers: 4,
    sequence: { sequencer: ByProject },
    projects: projects.map((project) => ({ test: { ...common, ...project } })),
  },
})

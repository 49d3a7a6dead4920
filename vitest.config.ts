import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const globalSetup = 'packages/server/src/testing/global-setup.ts'
/** So many others between a story and the next: of two workers, mostly one has a story. */
const othersPerStory = 8

/** Stories mostly wait and other tests mostly compute: mixed, and stories early, as one that begins last leaves workers idle. */
class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const stories = sorted.filter(isStory)
    const others = sorted.filter((file) => !isStory(file))
    const mixed = stories.flatMap((story) => [story, ...others.splice(0, othersPerStory)])
    return [...mixed, ...others]
  }
}

const isStory = ({ moduleId }: TestSpecification) => moduleId.includes('/e2e/stories/')

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.{mjs,ts}', 'e2e/**/*.test.ts'],
    globalSetup: existsSync(new URL(globalSetup, import.meta.url)) ? [globalSetup] : [],
    setupFiles: ['vitest.setup.ts'],
    pool: 'forks',
    // As many as the cores of a small machine. Three were no quicker (13 to 16 minutes), and starved tests of their time.
    maxWorkers: 2,
    sequence: { sequencer: TestOrder },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

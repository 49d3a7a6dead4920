// The runner's settings for one script; otherwise Playwright's defaults.
'use strict'
const { notes, work } = require('./paths.cjs')

const { file, evidence, playwrightConfig = {}, updatesSnapshots } = JSON.parse(process.env.VEDETTE_SCRIPT)
const escaped = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

module.exports = {
  testDir: work,
  testMatch: new RegExp(`^${escaped}$`),
  outputDir: `${notes}/test-results`,
  workers: 1,
  retries: 0,
  fullyParallel: false,
  reporter: [
    [`${__dirname}/reporter.cjs`, { results: `${notes}/results.jsonl`, isAlone: true }],
    ['json', { outputFile: `${notes}/report.json` }],
  ],
  // The name that local runs with a project for Chromium give to snapshots.
  snapshotPathTemplate: '{snapshotDir}/{testFileDir}/{testFileName}-snapshots/{arg}-chromium-{platform}{ext}',
  ...(updatesSnapshots && { updateSnapshots: 'all' }),
  ...playwrightConfig,
  use: {
    screenshot: 'only-on-failure',
    trace: 'retain-on-failure',
    ...playwrightConfig.use,
    ...evidence,
  },
}

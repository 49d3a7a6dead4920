// The runner's settings for one script; otherwise Playwright's defaults.
'use strict'
const { notes, work } = require('./paths.cjs')

const { file, evidence } = JSON.parse(process.env.VEDETTE_SCRIPT)
const escaped = file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

module.exports = {
  testDir: work,
  testMatch: new RegExp(`^${escaped}$`),
  outputDir: `${notes}/test-results`,
  workers: 1,
  retries: 0,
  fullyParallel: false,
  reporter: [[`${__dirname}/reporter.cjs`], ['json', { outputFile: `${notes}/report.json` }]],
  use: { screenshot: 'only-on-failure', trace: 'retain-on-failure', ...evidence },
}

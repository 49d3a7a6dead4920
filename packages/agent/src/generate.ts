// Writes deploy/agent.env.example off the settings. With --check it compares instead, and fails on a difference.
import { readFileSync, writeFileSync } from 'node:fs'
import { environmentExample } from './config.ts'

const file = 'deploy/agent.env.example'
const path = new URL(`../../../${file}`, import.meta.url)
const text = environmentExample()

if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  process.stderr.write(`Out of date: ${file}. Run npm run generate.\n`)
  process.exitCode = 1
}

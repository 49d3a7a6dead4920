import { expect, it } from 'vitest'
import { readTestCommand } from './test-command.ts'

it.each([
  ['npx playwright test', {}],
  ['', {}],
  ['npm run e2e', { testCommand: 'npm run e2e' }],
  ['pnpm playwright test --config a/b.ts', { config: 'a/b.ts' }],
  [
    "npx playwright test --config 'my tests/playwright.config.ts' --project chromium 'mobile safari' --grep '@a|@b'",
    {
      config: 'my tests/playwright.config.ts',
      pwProjects: ['chromium', 'mobile safari'],
      pwTags: ['@a', '@b'],
    },
  ],
  [`npx playwright test --config 'it'"'"'s.ts' --grep @a`, { config: "it's.ts", pwTags: ['@a'] }],
  [
    "npx playwright test --config a.ts --workers 2 'x y'",
    { testCommand: "npx playwright test --workers 2 'x y'", config: 'a.ts' },
  ],
])('reads %s', (command, expected) => {
  expect(readTestCommand(command)).toEqual(expected)
})

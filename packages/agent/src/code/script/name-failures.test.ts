import { expect, it } from 'vitest'
import { nameMissingBrowser } from './name-failures.ts'

it('names a browser that the agent lacks, and how to install it', () => {
  const text = `browserType.launch: Executable doesn't exist at /browsers/firefox-1509/firefox/firefox
╔════════════╗
║ npx playwright install ║
╚════════════╝`
  expect(nameMissingBrowser(text)).toBe(
    "browserType.launch: This agent doesn't have firefox for this version of Playwright. Install it on the agent's machine with the same version of Playwright: npx playwright install --with-deps firefox",
  )
  expect(nameMissingBrowser('Error: another one')).toBe('Error: another one')
})

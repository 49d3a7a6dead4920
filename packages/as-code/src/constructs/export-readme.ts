// What a person who receives an export has to know.
import type { ExportedFile } from '../account-resources.ts'
import type { ConstructNote } from './construct-project.ts'
import { scriptName } from './without-constructs.ts'

interface ExportFacts {
  notes: readonly ConstructNote[]
  /** Names of Playwright suites whose archive doesn't exist anymore, or has no configuration of Playwright. */
  lostSuites: readonly string[]
  hasSuites: boolean
  hasSecrets: boolean
  hasRest: boolean
}

export function readmeOf({ notes, lostSuites, hasSuites, hasSecrets, hasRest }: ExportFacts): ExportedFile {
  const text = `# Exported resources

A project of the published \`checkly\` command-line client, written by \`vedette export\`. It contains no secret value.

## Deploy

Set \`CHECKLY_API_URL\`, \`CHECKLY_API_KEY\` and \`CHECKLY_ACCOUNT_ID\` (\`vedette env\` prints them). The key needs the role ADMIN if
there are private locations.

\`\`\`sh
${commandsOf(hasSecrets, hasRest).join('\n')}
\`\`\`

A deployment creates new resources. In the account that was exported, it creates copies: adopt existing resources with
\`npx checkly import\` instead. Addresses of dashboards and status pages are unique on a server.

${hasSuites ? suitesSection : ''}## What isn't here

- Results, alerts, incidents, members, API keys and settings of the account.
- Keys: agents of private locations, visitors of private pages, pings of heartbeat monitors and triggers get new ones.
- Snippets that a check or a group runs before or after: their text is part of the check or the group.
${lostSuites
  .toSorted()
  .map(
    (name) =>
      `- The Playwright suite "${name}": its archive doesn't exist, or has no Playwright configuration. Deploy it from its project.\n`,
  )
  .join('')}${sectionOf(notes)}`
  return { path: 'README.md', text }
}

const suitesSection = `## Playwright suites

\`suites/\` has their files as they were deployed: read them before you share this project. The packages of all suites are in
\`package.json\`, with the versions of their lock files. \`npm install\` writes the lock file that a deployment needs.

`

function commandsOf(hasSecrets: boolean, hasRest: boolean): string[] {
  const file = hasSecrets ? '--env-file=.env ' : ''
  return [
    'npm install',
    ...(hasSecrets ? ['cp .env.example .env # then fill in the values'] : []),
    ...(hasRest ? [`node ${file}${scriptName} before # variables, snippets, client certificates`] : []),
    'npx checkly deploy',
    ...(hasRest ? [`node ${file}${scriptName} after # triggers`] : []),
  ]
}

function sectionOf(notes: readonly ConstructNote[]): string {
  if (notes.length === 0) return ''
  const lines = notes
    .map(({ resource, field, value }) => `- ${resource}: \`${field}\` is \`${JSON.stringify(value)}\``)
    .toSorted()
  return `
## Settings without a construct

Set these in the app or with the API after the deployment.

${lines.join('\n')}
`
}

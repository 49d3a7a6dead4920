// All resources of an account as a project of constructs, which the published command-line client deploys.
import type { AccountResources, ExportedFile } from '../account-resources.ts'
import type { ResourceNames } from '../resource-names.ts'
import { environmentExample, type SecretNames } from '../secret-names.ts'
import { toSource } from '../source.ts'
import { ConstructProject } from './construct-project.ts'
import { readmeOf } from './export-readme.ts'
import { withoutConstructs } from './without-constructs.ts'

export function exportConstructs(
  resources: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
): ExportedFile[] {
  const checks = resources.checks.filter((check) => !isSuite(check))
  const project = new ConstructProject({ ...resources, checks }, names, secrets, 'account')
  const rest = withoutConstructs(resources, names, secrets)
  const files = [...project.files(), ...rest, environmentExample(secrets), ...projectFiles(secrets)]
  const suites = resources.checks.filter(isSuite).map(({ name }) => name)
  return [
    ...files,
    readmeOf({
      notes: project.notes,
      suites,
      hasSecrets: secrets.list().length > 0,
      hasRest: rest.length > 0,
    }),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

const isSuite = ({ checkType }: { checkType: unknown }) => checkType === 'PLAYWRIGHT'

/** The configuration of the project; a missing secret stops a deployment, or it would be deployed empty. */
function projectFiles(secrets: SecretNames): ExportedFile[] {
  const variables = secrets.list().map(({ variable }) => variable)
  const guard =
    variables.length === 0
      ? ''
      : `const variables = ${toSource(variables)}
const missing = variables.filter((name) => process.env[name] === undefined)
if (missing.length > 0) {
  throw new Error(\`Set these environment variables, for example in .env: \${missing.join(', ')}\`)
}

`
  const config = `import { defineConfig } from 'checkly'

${guard}export default defineConfig({
  projectName: 'Exported resources',
  logicalId: 'exported-resources',
  checks: { checkMatch: 'resources/*.check.ts' },
})
`
  const manifest = {
    name: 'exported-resources',
    version: '1.0.0',
    private: true,
    devDependencies: { checkly: '9.5.0' },
  }
  return [
    { path: '.gitignore', text: '.env\nnode_modules/\n' },
    { path: 'checkly.config.ts', text: config },
    { path: 'package.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
  ]
}

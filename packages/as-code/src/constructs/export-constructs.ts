// All resources of an account as a project of constructs, which the published command-line client deploys.
import type { AccountResources, CodeBundles, ExportedFile } from '../account-resources.ts'
import type { ResourceNames } from '../resource-names.ts'
import { environmentExample, type SecretNames } from '../secret-names.ts'
import { toSource } from '../source.ts'
import { ConstructProject } from './construct-project.ts'
import { readmeOf } from './export-readme.ts'
import { exportName, SuiteFiles } from './suite-files.ts'
import { withoutConstructs } from './without-constructs.ts'

export function exportConstructs(
  resources: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
  bundles: CodeBundles,
): ExportedFile[] {
  const suites = new SuiteFiles(bundles)
  const isLost = (check: { checkType: unknown }) =>
    check.checkType === 'PLAYWRIGHT' && !suites.has({ ...check })
  const checks = resources.checks.filter((check) => !isLost(check))
  const project = new ConstructProject({ ...resources, checks }, names, secrets, 'account', suites)
  const rest = withoutConstructs(resources, names, secrets)
  const files = [
    ...project.files(),
    ...rest,
    environmentExample(secrets),
    ...projectFiles(secrets, suites.packages),
  ]
  return [
    ...files,
    readmeOf({
      notes: project.notes,
      lostSuites: resources.checks.filter(isLost).map(({ name }) => name),
      hasSuites: suites.files.length > 0,
      hasSecrets: secrets.list().length > 0,
      hasRest: rest.length > 0,
    }),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** The configuration of the project; a missing secret stops a deployment, or it would be deployed empty. */
function projectFiles(secrets: SecretNames, packages: ReadonlyMap<string, string>): ExportedFile[] {
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
  logicalId: '${exportName}',
  checks: { checkMatch: 'resources/*.check.ts' },
})
`
  const manifest = {
    name: exportName,
    version: '1.0.0',
    private: true,
    devDependencies: { checkly: '9.5.0', ...Object.fromEntries([...packages].toSorted()) },
  }
  return [
    { path: '.gitignore', text: '.env\nnode_modules/\n' },
    { path: 'checkly.config.ts', text: config },
    { path: 'package.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
  ]
}

// All resources of an account as the files of a project.
import type { AccountResources, CodeBundles, ExportedFile } from './account-resources.ts'
import { exportConstructs } from './constructs/export-constructs.ts'
import { nameResources, type ResourceNames } from './resource-names.ts'
import { type SecretName, SecretNames } from './secret-names.ts'
import { exportTerraform } from './terraform/export-terraform.ts'

type Exporter = (
  resources: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
  bundles: CodeBundles,
) => ExportedFile[]

const exporters: Readonly<Record<string, Exporter>> = {
  constructs: exportConstructs,
  terraform: exportTerraform,
}

export const exportFormats: readonly string[] = Object.keys(exporters)

/** In the order of paths. Undefined: there is no such format. */
export function exportAccount(
  resources: AccountResources,
  format: string,
  bundles: CodeBundles = new Map(),
): { files: ExportedFile[]; secrets: SecretName[] } | undefined {
  const exporter = Object.hasOwn(exporters, format) ? exporters[format] : undefined
  if (exporter === undefined) return undefined
  const secrets = new SecretNames()
  const files = exporter(resources, nameResources(resources), secrets, bundles)
  return { files, secrets: secrets.list() }
}

import { resourceAsTerraform } from '@vedette/as-code/resource-as-terraform'
import { CodeBlock } from './code-block.tsx'

interface TerraformBlockProps {
  kind: Parameters<typeof resourceAsTerraform>[0]
  resource: object
  name: string
}

/** Nothing where the provider doesn't have such a resource. */
export function TerraformBlock({ kind, resource, name }: TerraformBlockProps) {
  const text = resourceAsTerraform(kind, resource, name)
  return text === undefined ? null : <CodeBlock title="Terraform" text={text} />
}

import { checkAsCurl } from '@vedette/as-code/check-code'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { basePath } from '../../api/base-path.ts'
import { useSession } from '../../api/session.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'
import type { TabProps } from './tab-props.ts'

export function CodeTab({ check }: TabProps) {
  const { account } = useSession()
  const curl = checkAsCurl(check, { origin: location.origin + basePath, accountId: account.id })
  return (
    <div className="stack">
      <p className="muted-text">Secret values aren’t shown: they are read from environment variables.</p>
      <CodeBlock title="TypeScript construct" text={resourcesAsConstructs({ checks: [check] })} />
      <TerraformBlock kind="check" resource={check} name={check.name} />
      <CodeBlock title="curl" text={curl} />
    </div>
  )
}

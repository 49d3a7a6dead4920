// A resource as Terraform code and as the request that creates it, to copy.
import type { ServerAddress } from '@vedette/as-code/curl'
import { useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'

interface ViewAsCodeProps {
  kind: 'variable' | 'snippet'
  resource: object
  name: string
  curlOf(server: ServerAddress): string
}

export function ViewAsCode({ kind, resource, name, curlOf }: ViewAsCodeProps) {
  const { account } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton onPress={() => setOpen(true)}>View as code</ActionButton>
      <Overlay title="As code" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="muted-text">Secret values aren’t shown.</p>
        <TerraformBlock kind={kind} resource={resource} name={name} />
        <CodeBlock
          title="curl"
          text={curlOf({ origin: location.origin + basePath, accountId: account.id })}
        />
      </Overlay>
    </>
  )
}

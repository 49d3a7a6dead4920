// The request that creates a resource, to copy.

import type { ServerAddress } from '@vedette/as-code/curl'
import { useState } from 'react'
import { basePath } from '../../api/base-path.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Overlay } from '../../parts/dialog.tsx'

export function ViewAsCode({ curlOf }: { curlOf(server: ServerAddress): string }) {
  const { account } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton onPress={() => setOpen(true)}>View as code</ActionButton>
      <Overlay title="As code" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="muted-text">Secret values aren’t shown.</p>
        <CodeBlock
          title="curl"
          text={curlOf({ origin: location.origin + basePath, accountId: account.id })}
        />
      </Overlay>
    </>
  )
}

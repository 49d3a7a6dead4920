// A key or link that the server shows only in the response that creates it.
import type { ReactNode } from 'react'
import { ActionButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Overlay } from '../../parts/dialog.tsx'

interface SecretOnceProps {
  title: string
  secret: string
  onClose(): void
  children: ReactNode
}

export function SecretOnce({ title, secret, onClose, children }: SecretOnceProps) {
  return (
    <Overlay title={title} isOpen onClose={onClose}>
      {children}
      <div className="secret-once">
        <code data-secret="">{secret}</code>
        <CopyButton text={secret} />
      </div>
      <div className="actions">
        <ActionButton look="primary" onPress={onClose}>
          Done
        </ActionButton>
      </div>
    </Overlay>
  )
}

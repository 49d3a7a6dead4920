import type { ReactNode } from 'react'
import { ActionButton } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

interface SecretOnceProps {
  /** `The key of the page`. */
  what: string
  secret: string
  onClose(): void
  children?: ReactNode
}

/** A key that the server shows only now. */
export function SecretOnce({ what, secret, onClose, children }: SecretOnceProps) {
  return (
    <div className="secret-once" role="status">
      <p>
        <strong>{what}</strong> is shown only now. Copy it before you leave.
      </p>
      <code>{secret}</code>
      {children}
      <div className="actions">
        <CopyButton text={secret} label="Copy the key" />
        <ActionButton look="quiet" onPress={onClose}>
          I’ve copied it
        </ActionButton>
      </div>
    </div>
  )
}

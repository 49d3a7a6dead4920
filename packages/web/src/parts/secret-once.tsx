import type { ReactNode } from 'react'
import { ActionButton } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

interface SecretOnceProps {
  /** `The key of the page`. */
  what: string
  secret: string
  onClose(): void
  /** The screen shows it again later. */
  canReadLater?: boolean
  children?: ReactNode
}

/** A key that was just created. */
export function SecretOnce({ what, secret, onClose, canReadLater = false, children }: SecretOnceProps) {
  return (
    <div className="secret-once" role="status">
      <p>
        <strong>{what}</strong>{' '}
        {canReadLater ? 'can also be copied below.' : 'is shown only now. Copy it before you leave.'}
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

// A dialog over the screen; below 800 px it is a sheet at the bottom.
import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

interface OverlayProps {
  title: string
  isOpen: boolean
  /** Absent: it can't be closed without its action. */
  onClose?: () => void
  children: ReactNode
}

export function Overlay({ title, isOpen, onClose, children }: OverlayProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose?.()}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
    >
      <Modal className="modal">
        <Dialog className="dialog">
          <header>
            <Heading slot="title">{title}</Heading>
            {onClose && (
              <IconButton label="Close" onPress={onClose}>
                <Icon name="close" />
              </IconButton>
            )}
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

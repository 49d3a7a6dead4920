// A button that opens a menu.
import { type PointerEvent, type ReactNode, useRef } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components'
import { useIsNarrow } from '../core/use-is-narrow.ts'

export interface MenuEntry {
  id: string
  label: ReactNode
  /** For typing ahead. */
  text: string
  onAction(): void
  isChecked?: boolean
  /** Why the user may not do it. */
  denial?: string | null
  /** A line before it. */
  startsSection?: boolean
}

interface PickMenuProps {
  label: string
  button: ReactNode
  entries: readonly MenuEntry[]
  look?: string
  placement?: 'bottom end' | 'bottom start' | 'top start'
}

export function PickMenu({
  label,
  button,
  entries,
  look = 'button plain',
  placement = 'bottom end',
}: PickMenuProps) {
  return (
    <MenuTrigger>
      <Button className={look} aria-label={label}>
        {button}
      </Button>
      <Popover placement={placement} className="popover">
        <EntryMenu label={label} entries={entries} />
      </Popover>
    </MenuTrigger>
  )
}

interface EntryMenuProps {
  label: string
  entries: readonly MenuEntry[]
  /** Of a menu without a trigger, which closes it otherwise. */
  onClose?: () => void
}

/** The menu itself, for those that open it in another way. */
export function EntryMenu({ label, entries, onClose }: EntryMenuProps) {
  const sheet = useSheetGuard()
  return (
    <div {...sheet}>
      <Menu className="menu" aria-label={label} {...(onClose === undefined ? {} : { onClose })}>
        {entries.flatMap(
          ({ id, label: text, text: words, onAction, isChecked, denial = null, startsSection = false }) => [
            startsSection ? <Separator key={`before ${id}`} className="menu-line" /> : null,
            <MenuItem
              key={id}
              id={id}
              textValue={words}
              className="menu-item"
              isDisabled={denial !== null}
              onAction={onAction}
              {...(isChecked === undefined ? {} : { 'aria-current': isChecked })}
            >
              <span className="menu-mark" aria-hidden="true">
                {isChecked ? '✓' : ''}
              </span>
              <span>
                {text}
                {denial && <small className="hint">{denial}</small>}
              </span>
            </MenuItem>,
          ],
        )}
      </Menu>
    </div>
  )
}

/** A sheet opens under the pointer that is still down: letting it go must not choose what is there. */
function useSheetGuard() {
  const isNarrow = useIsNarrow()
  const isPressed = useRef(false)
  return {
    onPointerDownCapture() {
      isPressed.current = true
    },
    onPointerUpCapture(event: PointerEvent) {
      if (isNarrow && !isPressed.current) event.stopPropagation()
    },
  }
}

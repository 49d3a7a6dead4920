// A button that opens a menu.
import type { ReactNode } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components'

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
}

/** The menu itself, for those that open it in another way. */
export function EntryMenu({ label, entries }: EntryMenuProps) {
  return (
    <Menu className="menu" aria-label={label}>
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
  )
}

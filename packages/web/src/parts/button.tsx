// Buttons. One that isn't allowed stays visible and focusable, and says which role is needed.
import type { ReactNode } from 'react'
import { Button, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components'

interface ActionButtonProps extends Omit<ButtonProps, 'className' | 'children'> {
  children: ReactNode
  look?: 'plain' | 'primary' | 'quiet' | 'danger'
  /** Why the user may not do it. */
  denial?: string | null
}

export function ActionButton({ children, look = 'plain', denial = null, ...props }: ActionButtonProps) {
  if (denial === null)
    return (
      <Button {...props} className={`button ${look}`}>
        {children}
      </Button>
    )
  return (
    <TooltipTrigger delay={200}>
      <Button {...props} onPress={() => undefined} aria-disabled="true" className={`button ${look} denied`}>
        {children}
      </Button>
      <Tooltip className="tooltip">{denial}</Tooltip>
    </TooltipTrigger>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'className' | 'children' | 'aria-label'> {
  label: string
  children: ReactNode
}

/** The label is a tooltip too. */
export function IconButton({ label, children, ...props }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <Button {...props} aria-label={label} className="button icon-only">
        {children}
      </Button>
      <Tooltip className="tooltip">{label}</Tooltip>
    </TooltipTrigger>
  )
}

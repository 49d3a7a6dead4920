import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ActionButton } from './button.tsx'

interface ButtonLinkProps {
  href: string
  children: ReactNode
  look?: 'plain' | 'primary'
  /** Why the user may not do it. */
  denial?: string | null
}

/** Looks like a button, goes to a screen. */
export function ButtonLink({ href, children, look = 'plain', denial = null }: ButtonLinkProps) {
  if (denial !== null)
    return (
      <ActionButton look={look} denial={denial}>
        {children}
      </ActionButton>
    )
  return (
    <Link href={href} className={`button ${look}`}>
      {children}
    </Link>
  )
}

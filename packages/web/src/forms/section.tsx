// A part of a form that reads like a sentence while it is closed.
import { type ReactNode, useState } from 'react'
import { Icon } from '../parts/icon.tsx'

interface SectionProps {
  title: string
  /** What is set, in a sentence. */
  summary: ReactNode
  /** Open at first. */
  isOpen?: boolean
  /** An error inside keeps it open. */
  hasError?: boolean
  children: ReactNode
}

export function Section({ title, summary, isOpen = false, hasError = false, children }: SectionProps) {
  const [isToggledOpen, setOpen] = useState(isOpen)
  return (
    <details
      className="form-section"
      open={isToggledOpen || hasError}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="right" />
        <h2>{title}</h2>
        <span className="muted-text cut">{summary}</span>
      </summary>
      <div className="form-section-body">{children}</div>
    </details>
  )
}

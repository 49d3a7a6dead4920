// Around a table that may be wider than the screen: it scrolls by itself, also by keyboard.
import type { ReactNode } from 'react'

export function TableBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and a section would be a landmark
    // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard
    <div role="group" className="table-box" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}

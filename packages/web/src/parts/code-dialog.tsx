// "View as code": the same resource as a construct and as a command line.
import { useState } from 'react'
import { ActionButton } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Overlay } from './dialog.tsx'

interface CodeButtonProps {
  /** Made when the dialog opens. */
  blocks(): readonly { title: string; text: string }[]
}

export function CodeButton({ blocks }: CodeButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton onPress={() => setOpen(true)}>View as code</ActionButton>
      <Overlay title="As code" isOpen={isOpen} onClose={() => setOpen(false)}>
        <p className="muted-text">Secret values aren’t shown: they are read from environment variables.</p>
        {isOpen &&
          blocks().map(({ title, text }) => (
            <section key={title} className="panel" aria-label={title}>
              <header className="section-head">
                <h3>{title}</h3>
                <CopyButton text={text} />
              </header>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
              <pre tabIndex={0}>{text}</pre>
            </section>
          ))}
      </Overlay>
    </>
  )
}

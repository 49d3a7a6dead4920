// Source that can be copied.
import { CopyButton } from './copy-button.tsx'

export function CodeBlock({ title, text }: { title: string; text: string }) {
  return (
    <section className="panel" aria-label={title}>
      <header className="section-head">
        <h2>{title}</h2>
        <CopyButton text={text} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  )
}

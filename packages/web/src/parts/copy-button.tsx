import { useState } from 'react'
import { ActionButton } from './button.tsx'
import { Icon } from './icon.tsx'

const shownMs = 2_000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
  }
  return (
    <ActionButton look="quiet" onPress={copy}>
      <Icon name={isCopied ? 'done' : 'copy'} />
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </ActionButton>
  )
}

/** Over plain http, browsers have no clipboard: a selected text can still be copied. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

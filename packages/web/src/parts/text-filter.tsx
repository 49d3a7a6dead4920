import './filters.css'
import { useEffect, useRef, useState } from 'react'

/** The first key counts at once, those that follow quickly together: each changes the address and asks the server. */
const typingMs = 60

interface TextFilterProps {
  label: string
  value: string
  isShort?: boolean
  onChange(value: string): void
}

export function TextFilter({ label, value, isShort = false, onChange }: TextFilterProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sentAt = useRef(0)
  useEffect(() => setText(value), [value])
  const send = (next: string) => {
    sentAt.current = performance.now()
    onChange(next)
  }
  return (
    <input
      type="search"
      className={isShort ? 'text-input short' : 'text-input'}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        const wait = sentAt.current + typingMs - performance.now()
        if (wait <= 0) send(target.value)
        else timer.current = setTimeout(() => send(target.value), wait)
      }}
    />
  )
}

import './filters.css'
import { useEffect, useRef, useState } from 'react'

/** Shorter than the pause between two keys: a result within 100 ms of each is the goal. */
const typingMs = 20

interface TextFilterProps {
  label: string
  value: string
  isShort?: boolean
  onChange(value: string): void
}

/** The address follows when the typing pauses. */
export function TextFilter({ label, value, isShort = false, onChange }: TextFilterProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
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
        timer.current = setTimeout(() => onChange(target.value), typingMs)
      }}
    />
  )
}

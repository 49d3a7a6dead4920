// Badges: how they look, and the text to paste elsewhere.
import './badge-panel.css'
import { type ReactNode, useState } from 'react'
import { basePath } from '../api/base-path.ts'
import { badgeAsHtml, badgeAsMarkdown } from '../core/badge-code.ts'
import { CodeBlock } from './code-block.tsx'

export interface BadgeChoice {
  name: string
  /** Of the picture, on this server. */
  path: string
  /** What a click on the badge opens. */
  opens: string
  hasResponseTime?: boolean
}

const styles = ['flat', 'flat-square', 'plastic', 'for-the-badge', 'social']

export function BadgePanel({ choices, children }: { choices: readonly BadgeChoice[]; children?: ReactNode }) {
  const [index, setIndex] = useState(0)
  const [style, setStyle] = useState('flat')
  const [theme, setTheme] = useState('default')
  const [hasTime, setTime] = useState(false)
  const choice = choices[Math.min(index, choices.length - 1)]
  if (choice === undefined) return <div className="stack">{children}</div>
  const query = new URLSearchParams({
    ...(style === 'flat' ? {} : { style }),
    ...(theme === 'default' ? {} : { theme }),
    ...(hasTime && choice.hasResponseTime ? { responseTime: 'true' } : {}),
  }).toString()
  const path = `${basePath}${choice.path}${query === '' ? '' : `?${query}`}`
  const badge = {
    name: choice.name,
    url: location.origin + path,
    opens: location.origin + basePath + choice.opens,
  }
  return (
    <div className="stack">
      {children}
      <div className="filter-bar">
        <label className="check-box">
          Badge of
          <select value={index} onChange={({ target }) => setIndex(Number(target.value))}>
            {choices.map(({ name, path: id }, at) => (
              <option key={id} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label className="check-box">
          Style
          <select value={style} onChange={({ target }) => setStyle(target.value)}>
            {styles.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="check-box">
          Theme
          <select value={theme} onChange={({ target }) => setTheme(target.value)}>
            {['default', 'light', 'dark'].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {choice.hasResponseTime && (
          <label className="check-box">
            <input type="checkbox" checked={hasTime} onChange={({ target }) => setTime(target.checked)} />
            Response time
          </label>
        )}
      </div>
      <p className="badge-picture">
        <img src={path} alt={`Badge of ${choice.name}`} />
      </p>
      <CodeBlock title="Markdown" text={badgeAsMarkdown(badge)} />
      <CodeBlock title="HTML" text={badgeAsHtml(badge)} />
    </div>
  )
}

// A page as it would be, in a frame beside its editor. The frame before stays until the new one is there.
import './page-preview.css'
import { useEffect, useRef, useState } from 'react'
import { basePath } from '../api/base-path.ts'
import { reasonOf } from './states.tsx'

const pauseMs = 500

type Theme = 'auto' | 'light' | 'dark'

interface PagePreviewProps<D> {
  /** `Preview of the status page`. */
  title: string
  /** What is shown; null: it isn't valid. */
  draft: D | null
  request(draft: D, signal: AbortSignal): Promise<{ path: string }>
}

export function PagePreview<D extends object>({ title, draft, request }: PagePreviewProps<D>) {
  const [theme, setTheme] = useState<Theme>('auto')
  const [isPhone, setPhone] = useState(false)
  const [shown, setShown] = useState<string | null>(null)
  const [next, setNext] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const latest = useRef(request)
  latest.current = request
  const text = draft === null ? null : JSON.stringify(draft)
  const isFirst = useRef(true)
  useEffect(() => {
    if (text === null) return
    const abort = new AbortController()
    const timer = setTimeout(
      async () => {
        try {
          const { path } = await latest.current(JSON.parse(text), abort.signal)
          setNext(path)
          setFailure(null)
        } catch (error) {
          if (!abort.signal.aborted) setFailure(error instanceof Error ? reasonOf(error) : String(error))
        }
      },
      isFirst.current ? 0 : pauseMs,
    )
    isFirst.current = false
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  const frames = [...new Set([shown, next])].filter((path) => path !== null)
  return (
    <section className="page-preview" aria-label={title}>
      <header className="section-head">
        <h2>Preview</h2>
        <div className="actions">
          <label className="check-box">
            Theme
            <select value={theme} onChange={({ target }) => setTheme(themeOf(target.value))}>
              <option value="auto">As set</option>
              <option value="light">Light</option>
              <option value="dark">Dark</option>
            </select>
          </label>
          <label className="check-box">
            <input type="checkbox" checked={isPhone} onChange={({ target }) => setPhone(target.checked)} />
            Phone
          </label>
        </div>
      </header>
      <p className="muted-text" role="status">
        {failure !== null
          ? `The preview couldn’t be renewed: ${failure}`
          : draft === null
            ? shown === null
              ? 'It appears when all fields are valid.'
              : 'It is renewed when all fields are valid.'
            : 'As visitors would see it. Nothing is saved yet, and links do nothing here.'}
      </p>
      {frames.length > 0 && (
        <div className={isPhone ? 'preview-box phone' : 'preview-box'}>
          {frames.map((path) => (
            <iframe
              key={path}
              title={path === shown ? title : `${title}, loading`}
              sandbox=""
              className={path === shown ? '' : 'unseen-frame'}
              src={`${basePath}${path}${theme === 'auto' ? '' : `?theme=${theme}`}`}
              onLoad={() => path === next && setShown(path)}
            />
          ))}
        </div>
      )}
    </section>
  )
}

function themeOf(value: string): Theme {
  return value === 'light' || value === 'dark' ? value : 'auto'
}

import './styles/base.css'
import './styles/forms.css'
import './styles/shell.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme, preferences } from './core/preferences.ts'

applyTheme()
preferences.subscribe(applyTheme)

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element "root"')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

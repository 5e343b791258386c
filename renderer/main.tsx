import './styles/font.css'
import './styles/tokens.css'
import './styles/mantine.css'
import '@mantine/notifications/styles.layer.css'
import '@mantine/spotlight/styles.layer.css'
import './styles/global.css'
import './styles/forced-colors.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { keepFocus } from './components/kept-focus.ts'
import { ignoreStrayDrops } from './components/stray-drops.ts'
import { printInLight } from './styles/print-in-light.ts'

// zod would compile its parsers with `new Function`, which the content security policy refuses.
z.config({ jitless: true })

ignoreStrayDrops()
keepFocus()
printInLight()
// Not before: schemas read the setting of zod when they are made.
const { App } = await import('./app.tsx')

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

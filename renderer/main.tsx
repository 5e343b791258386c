import './styles/font.css'
import './styles/tokens.css'
import './styles/mantine.css'
import '@mantine/notifications/styles.layer.css'
import '@mantine/spotlight/styles.layer.css'
import './styles/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { claimSession } from './api/session-claim.ts'
import { ignoreStrayDrops } from './components/stray-drops.ts'

// zod would compile its parsers with `new Function`, which the content security policy refuses.
z.config({ jitless: true })

ignoreStrayDrops()
await claimSession()
// Not before: the router reads the address when it is imported.
const { App } = await import('./app.tsx')
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

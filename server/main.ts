import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What Node compiled is kept beside the program: whoever may write there may write the program too. If we may not, a
// start only takes longer. From source nothing is kept.
if (import.meta.filename.endsWith('.js')) {
  enableCompileCache(join(import.meta.dirname, '..', '.compiled'))
}
await import('./headless.ts')

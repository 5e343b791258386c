import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Put in by scripts/build-agent.ts, because a bundle has no package.json beside it. */
declare const FARHAND_VERSION: string | undefined

function packageVersion(): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const file = new URL('package.json', folder)
    if (existsSync(file)) {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    }
    if (folder.pathname === '/') {
      return '0.0.0'
    }
  }
}

/** `0.1.0` or `0.1.0-beta.1` as the four-part number that agents report. */
export const fourPart = (version: string) =>
  [...version.replace(/[-+].*/, '').split('.'), '0', '0', '0'].slice(0, 4).join('.')

export const agentVersion = fourPart(typeof FARHAND_VERSION === 'string' ? FARHAND_VERSION : packageVersion())

/** The file that this program was started from. */
export const programFile = () =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? 'main.ts' : 'main.js', import.meta.url))

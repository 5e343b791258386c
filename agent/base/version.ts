import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Defined in bundles (`tools/agents/bundle.ts`), which have no package.json. */
declare const FARHAND_VERSION: string | undefined

const bundledVersion = typeof FARHAND_VERSION === 'string' ? FARHAND_VERSION : undefined

function packageVersion(): string {
  for (let folder = new URL('../', import.meta.url); ; folder = new URL('../', folder)) {
    const file = new URL('package.json', folder)
    if (existsSync(file)) {
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
    }
    if (folder.pathname === '/') {
      return '0.0.0'
    }
  }
}

/** Converts `0.1.0` or `0.1.0-beta.1` to the four-part number that agents report. */
export const fourPart = (version: string) =>
  [...version.replace(/[-+].*/, '').split('.'), '0', '0', '0'].slice(0, 4).join('.')

export const agentVersion = fourPart(bundledVersion ?? packageVersion())

/** Path of this agent's entry point: `main.js` beside the code in a bundle, one folder up otherwise. */
export function programFile(): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(bundledVersion === undefined ? `../main.${extension}` : 'main.js', import.meta.url))
}

import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/processes.mjs'

/** Every source file of the project, by its path with forward slashes. */
export const sourceFiles = (
  pattern = '{shared,server,renderer,main,agent,test,scripts,resources}/**/*.{ts,tsx,mjs,js,css}',
) =>
  globSync(pattern, { cwd: root }).map((file) => ({
    path: file.replaceAll('\\', '/'),
    text: readFileSync(path.join(root, file), 'utf8'),
  }))

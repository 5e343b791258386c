import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/processes.mjs'

/** Source files of the project, by path with forward slashes. */
export const sourceFiles = (
  pattern = '{shared,server,renderer,main,agent,test,scripts,resources}/**/*.{ts,tsx,mjs,js,css}',
) =>
  globSync(pattern, { cwd: root }).map((file) => ({
    path: file.replaceAll('\\', '/'),
    text: readFileSync(path.join(root, file), 'utf8'),
  }))

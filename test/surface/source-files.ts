import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../tools/processes.mjs'

/** Source files of the project, by path with forward slashes. */
export const sourceFiles = (
  pattern = '{shared,server,renderer,main,agent,test,tools,resources}/**/*.{ts,tsx,mjs,js,css}',
) =>
  globSync(pattern, { cwd: root }).map((file) => ({
    path: file.replaceAll('\\', '/'),
    text: readFileSync(path.join(root, file), 'utf8'),
  }))

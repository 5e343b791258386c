import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { environment } from '../../base/environment.ts'

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Folder that the desktop of this process's user shows, as `xdg-user-dirs` names it; else the home folder. */
export async function dropFolder(): Promise<string> {
  const { home } = environment
  const settings = join(environment.variables()['XDG_CONFIG_HOME'] || join(home, '.config'), 'user-dirs.dirs')
  const text = await readFile(settings, 'utf8').catch(() => '')
  // The file has shell syntax: a path begins with $HOME or a slash, and a backslash escapes a character.
  const [, found = ''] = /^XDG_DESKTOP_DIR="((?:\$HOME)?\/(?:[^"\\]|\\.)*)"$/m.exec(text) ?? []
  const named = found.replace(/^\$HOME/, home).replaceAll(/\\(.)/g, '$1')
  const folder = named || join(home, 'Desktop')
  return (await isFolder(folder)) ? folder : home
}

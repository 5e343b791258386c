import { fileURLToPath, pathToFileURL } from 'node:url'
import { clipboardLimitText, maxClipboardBytes, maxClipboardFiles } from '../../../shared/remote-control/clipboard.ts'
import { UserError } from '../../base/errors.ts'

/** Names of lists of files on the clipboards of Linux: that of GNOME and others, and the standard one. */
export const gnomeFilesType = 'x-special/gnome-copied-files'
export const uriListType = 'text/uri-list'
/** Names of text in UTF-8 on Wayland, best first. */
export const textTypes: readonly string[] = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain', 'TEXT', 'STRING']
export const pictureType = 'image/png'

/** Contents of both lists. File managers of GNOME paste no files from the standard list alone. */
export function fileLists(paths: readonly string[]): Record<'gnomeFiles' | 'uriList', Buffer> {
  const uris = paths.map((path) => pathToFileURL(path).href)
  return {
    gnomeFiles: Buffer.from(['copy', ...uris].join('\n')),
    uriList: Buffer.from(uris.map((uri) => `${uri}\r\n`).join('')),
  }
}

function pathOf(line: string): string[] {
  try {
    // Rejects other hosts, and encoded slashes.
    return [fileURLToPath(line)]
  } catch {
    return []
  }
}

/** Paths of a list of files of either kind; null without files of this machine. */
export function pathsOfList(list: string): readonly string[] | null {
  const lines = list.split(/\r?\n/).filter((line) => line.startsWith('file:'))
  const paths = lines.slice(0, maxClipboardFiles).flatMap(pathOf)
  return paths.length > 0 ? paths : null
}

/** Contents to offer by name, of each kind; rejects those above the limit with a UserError. */
export const offers = {
  text: (text: string) => offerOf('text', textTypes, Buffer.from(text)),
  picture: (png: Buffer) => offerOf('picture', [pictureType], png),
  files(paths: readonly string[]): ReadonlyMap<string, Buffer> {
    const { gnomeFiles, uriList } = fileLists(paths)
    return new Map([
      [uriListType, uriList],
      [gnomeFilesType, gnomeFiles],
    ])
  },
}

function offerOf(name: string, types: readonly string[], content: Buffer): ReadonlyMap<string, Buffer> {
  if (content.length > maxClipboardBytes) {
    throw new UserError(`This ${name} is ${clipboardLimitText}.`)
  }
  return new Map(types.map((type) => [type, content]))
}

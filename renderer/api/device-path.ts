/** Paths of devices, whose system may differ from this one. The beginning of a path tells Windows and POSIX apart. */

const windowsRoot = /^(?:[a-z]:[\\/]|[a-z]:$|\\\\[^\\/]+[\\/][^\\/]+[\\/]?)/i

const isWindowsPath = (path: string) => windowsRoot.test(path)

/** Path separator of the device. */
export const separatorOf = (path: string) => (isWindowsPath(path) ? '\\' : '/')

/** Splits a path into its root, which ends with a separator, and the names below the root. */
function partsOf(path: string): { root: string; names: string[] } {
  const separator = separatorOf(path)
  const begin = (separator === '\\' ? windowsRoot.exec(path)?.[0] : undefined) ?? (path.startsWith('/') ? '/' : '')
  const root = begin === '' || /[\\/]$/.test(begin) ? begin : begin + separator
  const names = path.slice(begin.length).split(separator === '\\' ? /[\\/]/ : '/')
  return { root: separator === '\\' ? root.replaceAll('/', '\\') : root, names: names.filter((name) => name !== '') }
}

export interface Crumb {
  name: string
  path: string
}

/** Folders from the root down to the path itself. */
export function crumbsOf(path: string): Crumb[] {
  const { root, names } = partsOf(path)
  const separator = separatorOf(path)
  return [
    { name: root, path: root },
    ...names.map((name, index) => ({ name, path: root + names.slice(0, index + 1).join(separator) })),
  ]
}

/** Folder that contains the path; undefined for a root. */
export const parentOf = (path: string) => crumbsOf(path).at(-2)?.path

export const nameOf = (path: string) => crumbsOf(path).at(-1)?.name ?? path

/** Joins a folder and a name. The device validates the name. */
export const childOf = (folder: string, name: string) =>
  /[\\/]$/.test(folder) && partsOf(folder).names.length === 0 ? folder + name : folder + separatorOf(folder) + name

/** Whether `path` is `folder` or lies inside it. */
export const isWithin = (path: string, folder: string) =>
  crumbsOf(path).some((crumb) => crumb.path === crumbsOf(folder).at(-1)?.path)

/** Joins path segments that a device returned, root first. */
export const pathOfSegments = ([root = '', ...names]: readonly string[], separator: string) =>
  names.length === 0 || /[\\/]$/.test(root) ? root + names.join(separator) : [root, ...names].join(separator)

/** Paths of devices, which may run another system than this one: told apart by how they begin. */

const windowsRoot = /^(?:[a-z]:[\\/]|[a-z]:$|\\\\[^\\/]+[\\/][^\\/]+[\\/]?)/i

const isWindowsPath = (path: string) => windowsRoot.test(path)

/** What stands between the names of a path. */
export const separatorOf = (path: string) => (isWindowsPath(path) ? '\\' : '/')

/** A path as its root, which ends with a separator, and the names below it. */
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

/** Every folder from the root down to the path itself. */
export function crumbsOf(path: string): Crumb[] {
  const { root, names } = partsOf(path)
  const separator = separatorOf(path)
  return [
    { name: root, path: root },
    ...names.map((name, index) => ({ name, path: root + names.slice(0, index + 1).join(separator) })),
  ]
}

/** The folder that something is in; undefined for a root. */
export const parentOf = (path: string) => crumbsOf(path).at(-2)?.path

/** The last name of a path. */
export const nameOf = (path: string) => crumbsOf(path).at(-1)?.name ?? path

/** Path of a name in a folder. The device checks the name. */
export const childOf = (folder: string, name: string) =>
  /[\\/]$/.test(folder) && partsOf(folder).names.length === 0 ? folder + name : folder + separatorOf(folder) + name

/** Whether one folder is the other, or lies in it. */
export const isWithin = (path: string, folder: string) =>
  crumbsOf(path).some((crumb) => crumb.path === crumbsOf(folder).at(-1)?.path)

/** A path of the names that a device has taken one apart into, root first. */
export const pathOfSegments = ([root = '', ...names]: readonly string[], separator: string) =>
  names.length === 0 || /[\\/]$/.test(root) ? root + names.join(separator) : [root, ...names].join(separator)

import type { Entry } from '../../api/files.ts'
import { crumbsOf, isWithin } from '../../api/device-path.ts'

/** Loaded state of an opened folder. */
export interface Branch {
  folders: readonly Entry[] | undefined
  hasFailed: boolean
}

export interface TreeNode extends Pick<Branch, 'hasFailed'> {
  /** Unique, unlike the path, which may appear below two drives. */
  key: string
  path: string
  name: string
  depth: number
  canOpen: boolean
  isOpen: boolean
  isWaiting: boolean
  /** Whether this is the node above all drives. */
  isAll: boolean
}

/** Drive of a folder: the longest root that contains the path (`/mnt/data` before `/`). */
const rootOf = (path: string, roots: readonly Entry[]) =>
  roots
    .filter(({ fullPath }) => isWithin(path, fullPath))
    .toSorted((one, other) => other.fullPath.length - one.fullPath.length)[0]

/** Ancestors of a folder from its drive down, which must be open to show the folder. */
export function ancestorsOf(path: string, roots: readonly Entry[]): string[] {
  const root = rootOf(path, roots)
  return root
    ? crumbsOf(path)
        .map((crumb) => crumb.path)
        .filter((crumb) => isWithin(crumb, root.fullPath) && crumb !== path)
    : []
}

interface TreeState {
  roots: readonly Entry[]
  opened: ReadonlySet<string>
  branches: ReadonlyMap<string, Branch>
  showsHidden: boolean
  /** Folder on screen, shown even if hidden. */
  current: string
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Visible nodes of the tree, top to bottom. */
export function flatten({ roots, opened, branches, showsHidden, current }: TreeState): TreeNode[] {
  const nodes: TreeNode[] = [
    {
      key: '',
      path: '',
      name: '',
      depth: 0,
      canOpen: false,
      isOpen: false,
      isWaiting: false,
      hasFailed: false,
      isAll: true,
    },
  ]
  const add = (entry: Entry, depth: number, above: string) => {
    const { fullPath: path, name, hasSubfolders } = entry
    const branch = branches.get(path)
    const isOpen = opened.has(path)
    const key = `${above}\0${path}`
    nodes.push({
      key,
      path,
      name,
      depth,
      isOpen,
      isAll: false,
      canOpen: branch?.folders ? branch.folders.length > 0 : hasSubfolders,
      isWaiting: isOpen && !branch?.folders && branch?.hasFailed !== true,
      hasFailed: branch?.hasFailed === true,
    })
    if (isOpen) {
      ;(branch?.folders ?? [])
        .filter(({ isHidden, fullPath }) => showsHidden || !isHidden || isWithin(current, fullPath))
        .toSorted((one, other) => byName.compare(one.name, other.name))
        .forEach((folder) => add(folder, depth + 1, key))
    }
  }
  roots.forEach((root) => add(root, 1, ''))
  return nodes
}

import type { Entry } from '../../api/files.ts'
import { crumbsOf, isWithin } from '../../api/device-path.ts'

/** What is known of a folder that is open in the tree. */
export interface Branch {
  folders: readonly Entry[] | undefined
  hasFailed: boolean
}

export interface TreeNode extends Pick<Branch, 'hasFailed'> {
  /** Unlike the path, which may be below two drives, nobody else's. */
  key: string
  path: string
  name: string
  depth: number
  canOpen: boolean
  isOpen: boolean
  isWaiting: boolean
  /** The node above all drives. */
  isAll: boolean
}

/** The drive that a folder is on: of `/` and `/mnt/data` the longer one that fits. */
const rootOf = (path: string, roots: readonly Entry[]) =>
  roots
    .filter(({ fullPath }) => isWithin(path, fullPath))
    .toSorted((one, other) => other.fullPath.length - one.fullPath.length)[0]

/** The folders that have to be open for a folder to be seen: those that it lies in, from its drive down. */
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
  /** The folder on screen; it is shown although it is hidden. */
  current: string
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** The lines of the tree from top to bottom. */
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

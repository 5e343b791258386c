import type { Entry } from '../../api/files.ts'
import type { LocalFile } from './local-files.ts'
import { childOf } from '../../api/device-path.ts'
import * as t from '../../texts.ts'

/** File or folder whose name already exists in a folder of the device. */
export interface Conflict {
  source: Pick<File, 'name' | 'size' | 'lastModified'>
  /** Kind of the source: a file of this computer, or something of the device. */
  kind: 'local' | 'file' | 'folder'
  /** Folder on the device. */
  folder: string
  existing: Entry
}
export type Answer = 'replace' | 'keepBoth' | 'skip'

/** File with its destination. */
export interface PlannedFile {
  file: File | undefined
  folders: readonly string[]
  folder: string
  name: string
  overwrite: boolean
}

/** Device listing and user prompts of `planUpload`. */
export interface PlanDependencies {
  /** Entries of an existing folder. */
  list: (folder: string) => Promise<readonly Entry[]>
  /** `others` is the number of further conflicts. Undefined cancels the upload. */
  ask: (conflict: Conflict, others: number) => Promise<{ answer: Answer; isForAll: boolean } | undefined>
  /** Whether file names are case-insensitive. */
  ignoresCase: boolean
}

/** Determines the destination of each file and asks about name conflicts. Undefined if the user cancels. */
export async function planUpload(
  target: string,
  locals: readonly LocalFile[],
  { list, ask, ignoresCase }: PlanDependencies,
): Promise<PlannedFile[] | undefined> {
  const key = (name: string) => (ignoresCase ? name.toLowerCase() : name)
  const lists = new Map<string, Promise<Map<string, Entry>>>()
  const entriesOf = (folder: string) => {
    const known = lists.get(folder) ?? list(folder).then((all) => new Map(all.map((entry) => [key(entry.name), entry])))
    lists.set(folder, known)
    return known
  }
  /** Entries of a folder below the target; empty for a folder that does not exist yet. */
  const existingIn = async (folders: readonly string[]): Promise<Map<string, Entry>> => {
    let folder = target
    let entries = await entriesOf(folder)
    for (const name of folders) {
      if (!entries.get(key(name))?.isDirectory) {
        return new Map()
      }
      folder = childOf(folder, name)
      entries = await entriesOf(folder)
    }
    return entries
  }

  const planned: (PlannedFile & { existing: Entry | undefined; taken: Map<string, Entry> })[] = []
  for (const { file, folders } of locals) {
    const taken = await existingIn(folders)
    planned.push({
      file,
      folders,
      folder: folders.reduce(childOf, target),
      name: file?.name ?? '',
      overwrite: false,
      existing: file && taken.get(key(file.name)),
      taken,
    })
  }

  const conflicts = planned.filter(({ existing }) => existing)
  let forAll: Answer | undefined
  for (const [index, plan] of conflicts.entries()) {
    const { file, folder, existing, taken } = plan
    if (!file || !existing) {
      continue
    }
    let answer = forAll
    // A file cannot replace a folder, even if "replace" was chosen for all.
    if (!answer || (answer === 'replace' && existing.isDirectory)) {
      const choice = await ask({ source: file, kind: 'local', folder, existing }, conflicts.length - index - 1)
      if (!choice) {
        return undefined
      }
      answer = choice.answer
      forAll ??= choice.isForAll ? answer : undefined
    }
    plan.overwrite = answer === 'replace'
    if (answer === 'keepBoth') {
      plan.name = freeName(file.name, (name) => taken.has(key(name)))
      taken.set(key(plan.name), existing)
    } else if (answer === 'skip') {
      planned.splice(planned.indexOf(plan), 1)
    }
  }
  return planned.map(({ existing: _, taken: __, ...plan }) => plan)
}

/** Returns the first name with a number that is not taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const wanted = t.files.conflict.copyName(name, number)
    if (!isTaken(wanted)) {
      return wanted
    }
  }
}

import type { Entry } from '../../api/files.ts'
import type { LocalFile } from '../transfers/local-files.ts'
import { childOf } from '../../api/device-path.ts'
import { files as words } from '../../strings/en-files.ts'

/** A file that has the name of something on the device. */
export interface Conflict {
  local: File
  /** Folder on the device. */
  folder: string
  existing: Entry
}
export type Answer = 'replace' | 'keepBoth' | 'skip'

/** One file with the place that it goes to. */
export interface PlannedFile {
  file: File | undefined
  folders: readonly string[]
  folder: string
  name: string
  overwrite: boolean
}

/** What the device is asked, and the person. */
export interface PlanPorts {
  /** Entries of a folder that is there. */
  list: (folder: string) => Promise<readonly Entry[]>
  /** `others`: conflicts that come after this one. Undefined: nothing is uploaded. */
  ask: (conflict: Conflict, others: number) => Promise<{ answer: Answer; isForAll: boolean } | undefined>
  /** Whether names that differ in the case of letters are the same. */
  ignoresCase: boolean
}

/** Decides where each file goes, and asks about those that are there already. Undefined when the person wants none of it. */
export async function planUpload(
  target: string,
  locals: readonly LocalFile[],
  { list, ask, ignoresCase }: PlanPorts,
): Promise<PlannedFile[] | undefined> {
  const key = (name: string) => (ignoresCase ? name.toLowerCase() : name)
  const lists = new Map<string, Promise<Map<string, Entry>>>()
  const entriesOf = (folder: string) => {
    const known = lists.get(folder) ?? list(folder).then((all) => new Map(all.map((entry) => [key(entry.name), entry])))
    lists.set(folder, known)
    return known
  }
  /** Entries of a folder below the target; none of one that does not exist yet. */
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
    // A folder cannot be replaced by a file, whatever was said about the others.
    if (!answer || (answer === 'replace' && existing.isDirectory)) {
      const said = await ask({ local: file, folder, existing }, conflicts.length - index - 1)
      if (!said) {
        return undefined
      }
      answer = said.answer
      forAll ??= said.isForAll ? answer : undefined
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

function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const wanted = words.conflict.copyName(name, number)
    if (!isTaken(wanted)) {
      return wanted
    }
  }
}

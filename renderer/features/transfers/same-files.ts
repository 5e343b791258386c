import type { KeptPart } from './kept-uploads.ts'

/** A file that was chosen, and the folders that it is in. */
export interface ChosenFile {
  file: Pick<File, 'name' | 'size' | 'lastModified'> | undefined
  folders: readonly string[]
}

/** Why a file is not the one that was cut off. */
export type Difference = 'missing' | 'size' | 'date'

const pathOf = (folders: readonly string[], name: string) => [...folders, name].join('/')

/**
 * Finds the files of an upload again: those of the same name, size and date. What the device has is a part of the old file:
 * the rest of another one does not fit to it.
 */
export function sameFiles<Chosen extends ChosenFile>(parts: readonly KeptPart[], chosen: readonly Chosen[]) {
  const byPath = new Map(chosen.map((each) => [each.file && pathOf(each.folders, each.file.name), each]))
  const found: { part: KeptPart; file: Chosen['file'] }[] = []
  const others: { part: KeptPart; difference: Difference }[] = []
  for (const part of parts) {
    if (!part.file) {
      found.push({ part, file: undefined })
      continue
    }
    const file = byPath.get(pathOf(part.folders, part.file.name))?.file
    const difference = !file
      ? 'missing'
      : file.size !== part.file.size
        ? 'size'
        : file.lastModified !== part.file.modifiedAt
          ? 'date'
          : undefined
    if (difference) {
      others.push({ part, difference })
    } else {
      found.push({ part, file })
    }
  }
  return { found, others }
}

import type { KeptPart } from './kept-uploads.ts'

/** File that the user chose again. */
export interface ChosenFile {
  file: Pick<File, 'name' | 'size' | 'lastModified'> | undefined
  folders: readonly string[]
}

/** Reason why a file does not match the interrupted one. */
export type Difference = 'missing' | 'size' | 'date'

const pathOf = (folders: readonly string[], name: string) => [...folders, name].join('/')

/**
 * Matches chosen files with the parts of an interrupted upload by name, size and date: the partial file on the device
 * can only be completed with the same content.
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

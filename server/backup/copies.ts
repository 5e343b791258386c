import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { headerOf, type Header } from './header.ts'
import type { BackupStateRow } from './tables.ts'
import { explainAt } from './backup-error.ts'

export const copyEnding = '.farhand-backup'

export interface ListedCopy {
  path: string
  name: string
  bytes: number
  /** Undefined for a file whose beginning is damaged. */
  header: Header | undefined
}

/** Copies in a folder, newest first; damaged ones last. Throws a `BackupError` for a folder that cannot be read. */
export async function listCopies(folder: string): Promise<ListedCopy[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw explainAt(`The folder ${folder}`, error)
  })
  const copies: ListedCopy[] = []
  for (const name of names.filter((each) => each.endsWith(copyEnding))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile()) {
      copies.push({ path, name, bytes: found.size, header: await headerOf(path).catch(() => undefined) })
    }
  }
  const timeOf = ({ header }: ListedCopy) => (header ? Date.parse(header.createdAt) : 0)
  return copies.toSorted((a, b) => timeOf(b) - timeOf(a) || b.name.localeCompare(a.name))
}

/** The copies of one server, with their time. */
export const copiesOf = (serverId: string, copies: readonly ListedCopy[]) =>
  copies.flatMap(({ header, ...copy }) =>
    header?.serverId === serverId ? [{ ...copy, header, at: Date.parse(header.createdAt) }] : [],
  )

/** Copies in the folder of the settings, for people; none without a folder. */
export async function copiesIn({ folder, serverId }: Pick<BackupStateRow, 'folder' | 'serverId'>) {
  const copies = folder === null ? [] : await listCopies(folder)
  return copies.map(({ header, ...copy }) => ({
    ...copy,
    createdAt: header?.createdAt ?? null,
    computer: header?.computer ?? null,
    recoveryKey: header?.recoveryKey ?? null,
    isOwn: header?.serverId === serverId,
  }))
}

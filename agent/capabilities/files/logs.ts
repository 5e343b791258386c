import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { GetLogFilesResponseDto } from '../../../shared/dtos/file-system.ts'
import { describeEntry } from './entries.ts'

export type LogGroups = z.input<typeof GetLogFilesResponseDto>['logFileGroups']

/** Folder of `.log` files, with a group name for people. */
export interface LogFolder {
  groupName: string
  folder: string
}

async function filesIn(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const logs = names.filter((name) => name.endsWith('.log')).toSorted()
  const entries = await Promise.all(logs.map((name) => describeEntry(join(folder, name), name)))
  return entries.flatMap((entry) =>
    entry?.canRead && !entry.isDirectory && !entry.isLink
      ? [{ fileName: entry.name, fullPath: entry.fullPath, size: entry.size, lastModified: entry.lastModified }]
      : [],
  )
}

/** Lists the readable log files in groups; groups without files are left out. */
export async function logFiles(folders: readonly LogFolder[]): Promise<LogGroups> {
  const groups = await Promise.all(
    folders.map(async ({ groupName, folder }) => ({ groupName, logFiles: await filesIn(folder) })),
  )
  return groups.filter((group) => group.logFiles.length > 0)
}

import { lstat } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'
import type { z } from 'zod'
import type { PathSegmentsResponseDto, ValidateFilePathResponseDto } from '../../../shared/dtos/file-system.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { platform } from '../../platform/index.ts'
import type { FolderOwner } from '../../platform/platform.ts'
import { describeEntry, targetOf, type Entry } from './entries.ts'
import { absolutePath, isPlainName, systemPath } from './names.ts'
import { makeDirectory } from './owner.ts'
import { reasonOf } from './reasons.ts'
import { inTargetDirectory } from './trees.ts'

/** Root directories: `/` and mounted drives, or the drives of Windows. */
export async function rootDrives(): Promise<Entry[]> {
  const roots = new Set(await platform.files.rootFolders())
  const entries = await Promise.all([...roots].map((root) => describeEntry(root, root)))
  return entries.filter((entry) => entry !== undefined).filter(({ isDirectory }) => isDirectory)
}

export async function pathSegments(path: string): Promise<z.input<typeof PathSegmentsResponseDto>> {
  const whole = absolutePath(path)
  if (whole === undefined) {
    return { success: false, pathSeparator: sep, errorMessage: 'The path must be absolute.' }
  }
  const { root } = parse(whole)
  const names = whole.slice(root.length).split(sep)
  return {
    success: true,
    pathExists: (await targetOf(whole)) !== undefined,
    pathSegments: [root, ...names.filter((name) => name !== '')],
    pathSeparator: sep,
  }
}

/** Returns the reason why a new file cannot have this name in the directory; empty if possible. */
async function problemOf(directoryPath: string, fileName: string): Promise<string> {
  const directory = absolutePath(directoryPath)
  if (directory === undefined || !(await targetOf(directory))?.isDirectory()) {
    return 'Directory does not exist'
  }
  if (!isPlainName(fileName)) {
    return 'File name contains invalid characters'
  }
  const found = await lstat(systemPath(join(directory, fileName))).catch(() => undefined)
  return found?.isDirectory() ? 'A directory with the same name already exists' : found ? 'File already exists' : ''
}

export async function validatePath(
  directoryPath: string,
  fileName: string,
): Promise<z.input<typeof ValidateFilePathResponseDto>> {
  const errorMessage = await problemOf(directoryPath, fileName)
  return { isValid: errorMessage === '', errorMessage }
}

export const directoryExists = 'Directory already exists'

export async function createDirectory(parentPath: string, name: string, owner?: FolderOwner): Promise<HubResult> {
  const parent = absolutePath(parentPath)
  if (parent === undefined || !(owner?.pin || (await targetOf(parent))?.isDirectory())) {
    return failure('Parent directory does not exist')
  }
  if (!isPlainName(name)) {
    return failure('Directory name contains invalid characters')
  }
  const path = join(parent, name)
  try {
    await inTargetDirectory(parent, (held) => makeDirectory(held, name), owner)
    return success
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      return failure(reasonOf(error, path))
    }
    const isDirectory = (await targetOf(path))?.isDirectory()
    return failure(isDirectory ? directoryExists : 'A file with the same name already exists')
  }
}

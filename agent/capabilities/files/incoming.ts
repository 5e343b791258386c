import { createHash, randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { link, lstat, open, readlink, realpath, rename, rm, statfs, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import type { FileUploadHubDto } from '../../../shared/dtos/file-system.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { UserError } from '../../base/errors.ts'
import { platform } from '../../platform/index.ts'
import type { FolderOwner } from '../../platform/platform.ts'
import { targetOf } from './entries.ts'
import { absolutePath, isPlainName, systemPath } from './names.ts'
import { giveToOwnerOf } from './owner.ts'
import { noteId, partEnding, type PartFile, type PartFiles } from './parts.ts'
import { Refusal } from './reasons.ts'
import { inTargetDirectory } from './trees.ts'

export type UploadRequest = z.output<typeof FileUploadHubDto>

const exists = 'File already exists.'
const full = 'The disk of the device is full.'
const denied = 'Permission denied. Unable to write to the target directory.'

const reasons: Record<string, string> = {
  EACCES: denied,
  EPERM: denied,
  EROFS: denied,
  EBUSY: 'File is in use. Unable to overwrite.',
  ETXTBSY: 'File is in use. Unable to overwrite.',
  EEXIST: exists,
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: 'The file is too large for the disk of the device.',
}

function reasonOf(error: unknown): string {
  if (error instanceof Refusal || error instanceof UserError) {
    return error.message
  }
  const { code = '', message } = error as NodeJS.ErrnoException
  return message.includes('canceled by client')
    ? 'File upload was canceled by client.'
    : (reasons[code] ?? 'An error occurred while downloading file from viewer.')
}

/** Error codes of `link` on file systems without hard links. */
const hasNoLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EISDIR'])

/** Stats of a path, without following a link; undefined without one. */
export const lookAt = (path: string): Promise<Stats | undefined> => lstat(systemPath(path)).catch(() => undefined)

/** Path of a new file, and what is there. Throws `Refusal`. */
export async function findPlace(
  directory: string,
  { fileName }: Pick<UploadRequest, 'fileName'>,
): Promise<{ path: string; found: Stats | undefined }> {
  if (!isPlainName(fileName)) {
    throw new Refusal('File name contains invalid characters')
  }
  const path = join(directory, fileName)
  return { path, found: await lookAt(path) }
}

/** Returns the file to replace. A link at the target is replaced, never written through. Throws `Refusal`. */
export function replaceable(found: Stats | undefined, overwrite: boolean): Stats | undefined {
  if (found?.isDirectory()) {
    throw new Refusal('A directory with the same name already exists')
  }
  if (found && !overwrite) {
    throw new Refusal(exists)
  }
  if (found && !found.isFile() && !found.isSymbolicLink()) {
    throw new Refusal('Only a file can be overwritten.')
  }
  return found?.isFile() ? found : undefined
}

export async function freeBytesIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(systemPath(directory))
  return bavail * bsize
}

/** Throws `Refusal` for a file that is larger than the free space. */
export function mustFit(bytes: number, freeBytes: number): void {
  if (bytes > freeBytes) {
    throw new Refusal(full)
  }
}

/** Resolves the target of an upload. Throws `Refusal`. */
export async function targetFor(
  directory: string,
  { fileName, fileSize, overwrite }: Pick<UploadRequest, 'fileName' | 'fileSize' | 'overwrite'>,
  heldBytes = 0,
) {
  const { path, found } = await findPlace(directory, { fileName })
  const old = replaceable(found, overwrite)
  mustFit(fileSize - heldBytes, await freeBytesIn(directory))
  return { path, old }
}

/** Yields the items; in a checked stream the last item is the SHA-256 of the others. Throws `Refusal` on a mismatch. */
export async function* contentOf(items: AsyncIterable<Uint8Array>, isChecked: boolean): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const item of items) {
    if (!isChecked) {
      yield item
    } else if (last) {
      hash.update(last)
      yield last
    }
    last = item
  }
  if (isChecked && !(last && hash.digest().equals(last))) {
    throw new Refusal('The file was damaged on its way.')
  }
}

/** Renames the complete file atomically; an existing target is kept unless `overwrite` is set. */
export async function publish(part: string, path: string, overwrite: boolean): Promise<void> {
  if (!overwrite) {
    try {
      await link(systemPath(part), systemPath(path))
      try {
        await unlink(systemPath(part))
      } catch (error) {
        await unlink(systemPath(path))
        throw error
      }
      return
    } catch (error) {
      if (!hasNoLinks.has((error as NodeJS.ErrnoException).code ?? '')) {
        throw error
      }
      if (await lookAt(path)) {
        throw new Refusal(exists)
      }
    }
  }
  await rename(systemPath(part), systemPath(path))
}

/**
 * Copies owner and mode from the replaced file; a new file gets the owner of its folder. Works on the open handle, never
 * by name: the folder's owner could put a link to another file there, and would then own that file. Drops set-user-id
 * bits, so no program newly runs as its owner.
 */
async function dressAs(handle: FileHandle, folder: string, old: Stats | undefined): Promise<void> {
  if (!platform.files.hasModes) {
    return
  }
  if (old) {
    await handle.chown(old.uid, old.gid).catch(() => {})
  } else {
    await giveToOwnerOf(folder, handle)
  }
  await handle.chmod(old ? old.mode & 0o777 : 0o644)
}

/** Current system path of a held directory. */
export const nameOfHeld = (held: string, directory: string) =>
  platform.files.hasHeldPaths ? readlink(held) : realpath(directory)

/** Creates a part file in a held directory, and records the part file under `id`. */
export async function makePart(
  parts: PartFiles,
  { id, held, directory, isKept }: { id: string; held: string; directory: string; isKept: boolean },
): Promise<{ part: PartFile; handle: FileHandle }> {
  const name = `.${randomUUID()}${partEnding}`
  const planned = { directory: await nameOfHeld(held, directory), name, isKept }
  await parts.note(id, planned)
  let handle: FileHandle | undefined
  try {
    handle = await open(systemPath(join(held, name)), 'wx+', 0o600)
    const { dev, ino } = await handle.stat()
    const part = { ...planned, file: { dev, ino } }
    await parts.note(id, part)
    return { part, handle }
  } catch (error) {
    await handle?.close()
    await parts.remove(id)
    throw error
  }
}

/**
 * Flushes the complete file to disk before the rename. Throws `Refusal` when another file has taken the part file's
 * place.
 */
export async function settle(handle: FileHandle, partPath: string, old: Stats | undefined): Promise<void> {
  await dressAs(handle, dirname(partPath), old)
  await handle.sync()
  const [written, found] = [await handle.stat(), await lookAt(partPath)]
  if (found?.ino !== written.ino || found.dev !== written.dev) {
    throw new Refusal('The file was replaced by another file while it was written.')
  }
}

/** Owner that the target directory must have; undefined: any. Rejects with a UserError. */
export const ownerIn = async (ownedBy: string | undefined): Promise<FolderOwner | undefined> =>
  ownedBy === undefined ? undefined : await platform.files.folderOwner(ownedBy)

/** Runs part of an upload. Errors become the reason of a failure. */
export async function resultOf<Result extends HubResult>(work: () => Promise<Result>): Promise<Result | HubResult> {
  try {
    return await work()
  } catch (error) {
    return failure(reasonOf(error))
  }
}

/**
 * Runs `use` with a handle of the requested directory, held from the first check: replacing a link in the path has no
 * effect. Errors become the reason of a failure.
 */
export const inTarget = <Result extends HubResult>(
  { targetDirectoryPath, ownedBy }: Pick<UploadRequest, 'targetDirectoryPath' | 'ownedBy'>,
  use: (held: string, directory: string) => Promise<Result>,
  findOwner = () => ownerIn(ownedBy),
): Promise<Result | HubResult> =>
  resultOf(async () => {
    const directory = absolutePath(targetDirectoryPath)
    const owner = await findOwner()
    // A folder that has to be pinned is not looked at before.
    if (directory === undefined || !(owner?.pin || (await targetOf(directory))?.isDirectory())) {
      throw new Refusal('Directory does not exist')
    }
    return await inTargetDirectory(directory, (held) => use(held, directory), owner)
  })

/**
 * Writes a file from its base64 items. Until complete and flushed, the file has a temporary name and is readable by its
 * owner only; an aborted transfer leaves nothing behind.
 */
export const writeIncoming = (parts: PartFiles, request: UploadRequest, items: () => AsyncIterable<Uint8Array>) =>
  inTarget(request, async (held, directory) => {
    const target = await targetFor(held, request)
    const id = noteId(randomUUID())
    const { part, handle } = await makePart(parts, { id, held, directory, isKept: false })
    const partPath = join(held, part.name)
    try {
      try {
        for await (const chunk of contentOf(items(), request.checkedStreamId !== undefined)) {
          await handle.writeFile(chunk)
        }
        await settle(handle, partPath, target.old)
      } finally {
        await handle.close()
      }
      await publish(partPath, target.path, request.overwrite)
      return success
    } catch (error) {
      await rm(systemPath(partPath), { force: true }).catch(() => {})
      throw error
    } finally {
      await parts.forget(id)
    }
  })

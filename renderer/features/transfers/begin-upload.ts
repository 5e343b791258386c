import { ApiError } from '../../../shared/contract/client.ts'
import type { FilePlace } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { newId } from '../../api/new-id.ts'
import {
  forgetUpload,
  keepUpload,
  setMissingParts,
  partArrived,
  partBegan,
  partFailed,
  type KeptUpload,
} from './kept-uploads.ts'
import { discardUpload } from './resumable-upload.ts'
import { sameFiles } from './same-files.ts'
import { postFiles, smallBytes, SmallUploads } from './small-uploads.ts'
import { BrokenOff, FinalFailure, type TransferPart } from './transfer.ts'
import { transfers } from './transfers.ts'
import { arrived, uploadPart } from './upload.ts'
import { childOf } from '../../api/device-path.ts'
import { nameProblem, type LocalFile } from './local-files.ts'
import * as t from '../../texts.ts'

interface FileToSend extends LocalFile {
  /** Name on the device. */
  name: string
  overwrite: boolean
  /** Id of a resumed upload. */
  uploadId?: string
}

interface UploadHead {
  place: FilePlace
  deviceName: string
  /** Folder on the device. */
  target: string
  name: string
}

interface UploadToBegin extends UploadHead {
  files: readonly FileToSend[]
}

/** Creates folders below a target, each once; existing folders are fine. */
export function folderMaker(place: FilePlace, target: string) {
  const { deviceId, tenantId } = place
  const made = new Map<string, Promise<void>>()
  const make = async (names: readonly string[]) => {
    const above = names.slice(0, -1)
    const directoryName = names.at(-1) ?? ''
    await ensure(above)
    const parentPath = above.reduce(childOf, target)
    const problem = nameProblem(directoryName)
    if (problem !== undefined) {
      throw new ApiError(400, undefined, problem)
    }
    if (place.ownedBy !== undefined) {
      const folder = {
        folder: parentPath,
        name: directoryName,
        bytes: new Uint8Array(),
        overwrite: false,
        isFolder: true,
      }
      const [reason] = await postFiles(place, [folder], { signal: new AbortController().signal })
      if (typeof reason === 'string') {
        throw new ApiError(409, undefined, reason)
      }
      return arrived({ deviceId, folder: parentPath })
    }
    try {
      await api.deviceFileSystem.createDirectory({
        params: { deviceId },
        body: { parentPath, directoryName },
        tenantId,
      })
      arrived({ deviceId, folder: parentPath })
    } catch (error) {
      const targetPath = childOf(parentPath, directoryName)
      const { pathExists } = await api.deviceFileSystem.pathSegments({ body: { deviceId, targetPath }, tenantId })
      if (!pathExists) {
        throw error
      }
    }
  }
  const ensure = (names: readonly string[]): Promise<void> => {
    if (names.length === 0) {
      return Promise.resolve()
    }
    const key = names.join('\0')
    const known = made.get(key) ?? make(names)
    made.set(key, known)
    known.catch(() => made.delete(key))
    return known
  }
  return ensure
}

/** Uploads local files as one transfer, whose id is returned, and tracks the parts that are missing for a resume after a reload. */
export function beginUpload(
  { place, deviceName, target, name, files }: UploadToBegin,
  ensure: (folders: readonly string[]) => Promise<void> = folderMaker(place, target),
): number {
  const id = newId()
  const small = new SmallUploads(place, ensure)
  const parts = files.map(({ uploadId = newId(), file, folders, name: fileName, overwrite }) => {
    const folder = folders.reduce(childOf, target)
    const { part, discard } = file
      ? uploadPart(file, { ...place, folder, name: fileName, overwrite }, () => ensure(folders), uploadId)
      : { part: { name: folders.at(-1) ?? '', size: 0, run: () => ensure(folders) }, discard: () => {} }
    const settle = (error: unknown) => {
      if (error === undefined) {
        partArrived(id, uploadId)
      } else if (!(error instanceof BrokenOff)) {
        partFailed(uploadId)
      }
    }
    const tracked: TransferPart = {
      ...part,
      async run(progress) {
        partBegan(uploadId)
        try {
          await part.run(progress)
        } catch (error) {
          settle(error)
          throw error
        }
        settle(undefined)
      },
    }
    const { size } = part
    if (file && size <= smallBytes) {
      tracked.group = small
      small.add(tracked, { file, folders, folder, name: fileName, overwrite, begin: () => partBegan(uploadId), settle })
    }
    const identity = file && { name: file.name, size, modifiedAt: file.lastModified }
    return { part: tracked, discard, kept: { uploadId, folders, file: identity, name: fileName, overwrite } }
  })
  keepUpload({ id, place, deviceName, target, name, parts: parts.map(({ kept }) => kept) })
  return transfers.add({
    kind: 'upload',
    deviceId: place.deviceId,
    deviceName,
    name,
    folder: target,
    parts: parts.map(({ part }) => part),
    onCanceled: () => {
      parts.forEach(({ discard }) => discard())
      forgetUpload(id)
    },
    onForgotten: () => forgetUpload(id),
  })
}

/** Above this number, single files are combined into one transfer. */
const mostLines = 10

/** Uploads files as transfers by folder, by file, or all single files together. Returns their ids. */
export function beginUploads(head: Omit<UploadHead, 'name'>, plan: readonly FileToSend[]): number[] {
  const ensure = folderMaker(head.place, head.target)
  const loose = plan.filter(({ folders }) => folders.length === 0).length
  const nameOf = ({ folders, name }: FileToSend) => folders[0] ?? (loose > mostLines ? t.files.items(loose) : name)
  return [...Map.groupBy(plan, nameOf)].map(([name, files]) => beginUpload({ ...head, name, files }, ensure))
}

/** Adds an upload that could not start to the transfers, for a page that was left before it could show the reason. */
export const listAsFailed = ({ place, deviceName, target, name }: UploadHead, reason: string) =>
  transfers.add({
    kind: 'upload',
    deviceId: place.deviceId,
    deviceName,
    name,
    folder: target,
    parts: [{ name, size: undefined, run: () => Promise.reject(new FinalFailure(reason)) }],
  })

/** Resumes an interrupted upload with the chosen files. Returns the parts that are still missing, with the reason. */
export function resumeUpload({ id, place, deviceName, target, name, parts }: KeptUpload, chosen: readonly LocalFile[]) {
  const { found, others } = sameFiles(parts, chosen)
  if (found.some(({ file }) => file) || others.length === 0) {
    const files = found.map(({ part: { uploadId, folders, name: fileName, overwrite }, file }) => ({
      uploadId,
      folders,
      name: fileName,
      overwrite,
      file,
    }))
    beginUpload({ place, deviceName, target, name, files })
    setMissingParts(
      id,
      others.map(({ part }) => part),
    )
  }
  return others
}

/** Abandons interrupted uploads and removes their partial files from the device. */
export function abandonUploads(uploads: readonly KeptUpload[]) {
  for (const { id, place, target, parts } of uploads) {
    for (const { uploadId, folders, name, overwrite, file } of parts) {
      if (file) {
        discardUpload(uploadId, { ...place, folder: folders.reduce(childOf, target), name, overwrite }, file.size)
      }
    }
    setMissingParts(id, [])
  }
}

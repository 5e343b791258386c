import type { z } from 'zod'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { ApiError, buildUrl } from '../../shared/contract/client.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { FileSystemEntryDto } from '../../shared/dtos/file-system.ts'
import { api, sendSignedIn } from './http.ts'
import { ObjectStream } from './object-stream.ts'
import { invalidate, query, queryClient } from './query-client.ts'

export type Entry = z.output<typeof FileSystemEntryDto>

/** Device whose files are requested, and the tenant to request them for. */
export interface FilePlace {
  deviceId: string
  tenantId: string
  /** Set for a folder that a desktop named: files are written only to folders of this user of the device. */
  ownedBy?: string | undefined
}

export interface Listing {
  isThere: boolean
  entries: readonly Entry[]
  /** Whether more entries are still arriving. */
  isPartial: boolean
  /** Whether the folder has more entries than the server lists. */
  isTruncated: boolean
  /** Time of this state, in ms since the epoch. */
  at: number
}

const showMs = 200

/** Converts a failed response of a request sent without a generated client. */
export async function failureOf(answer: Response): Promise<ApiError> {
  const text = await answer.text()
  try {
    return new ApiError(answer.status, ProblemDetails.safeParse(JSON.parse(text)).data)
  } catch {
    return new ApiError(answer.status, undefined, text === '' ? undefined : text)
  }
}

/** Lists a folder of any size. `onPart` gets the entries received so far, every 200 ms. */
async function listFolder(
  { deviceId, tenantId }: FilePlace,
  directoryPath: string,
  signal: AbortSignal,
  onPart: (listing: Listing) => void,
): Promise<Listing> {
  const { path, method } = deviceFileSystem.routes.contents
  const answer = await sendSignedIn(buildUrl(path, { tenantId }), {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ deviceId, directoryPath }),
    signal,
  })
  if (!answer.ok || !answer.body) {
    throw await failureOf(answer)
  }
  const objects = new ObjectStream()
  const entries: Entry[] = []
  const listing = (isPartial: boolean): Listing => ({
    isThere: objects.head.includes('true'),
    entries: [...entries],
    isPartial,
    isTruncated: objects.tail.includes('"isTruncated":true'),
    at: Date.now(),
  })
  let shownAt = Date.now()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const found of objects.add(read.value)) {
      entries.push(FileSystemEntryDto.parse(found))
    }
    if (Date.now() - shownAt > showMs) {
      shownAt = Date.now()
      onPart(listing(true))
    }
  }
  if (!objects.isDone) {
    throw new TypeError('The list broke off.')
  }
  return listing(false)
}

/** Queries for folder contents, which the device answers. */
export const fileQueries = {
  roots: ({ deviceId, tenantId }: FilePlace) =>
    query(
      ['files', deviceId, 'roots'],
      async (signal) => (await api.deviceFileSystem.rootDrives({ body: { deviceId }, tenantId }, signal)).drives,
    ),
  folder: (place: FilePlace, path: string) => {
    const queryKey = ['files', place.deviceId, 'contents', path]
    return query(
      queryKey,
      (signal) =>
        listFolder(place, path, signal, (listing) => {
          // A complete list on screen is replaced only by a complete one.
          const shown = queryClient.getQueryData<Listing>(queryKey)
          if (!signal.aborted && (!shown || shown.isPartial)) {
            queryClient.setQueryData(queryKey, listing)
          }
        }),
      { structuralSharing: false },
    )
  },
  subfolders: ({ deviceId, tenantId }: FilePlace, directoryPath: string) =>
    query(
      ['files', deviceId, 'folders', directoryPath],
      async (signal) =>
        (await api.deviceFileSystem.subdirectories({ body: { deviceId, directoryPath }, tenantId }, signal))
          .subdirectories,
      { staleTime: 30_000 },
    ),
}

/** Lists a folder with a query that no component observes, so leaving the page does not cancel it. */
export const listForUpload = (place: FilePlace, path: string) =>
  queryClient.fetchQuery({
    ...fileQueries.folder(place, path),
    queryKey: ['files', place.deviceId, 'for-upload', path],
    staleTime: 0,
    gcTime: 0,
  })

/** Marks the cached contents of a folder as stale. */
export function refreshFolder(deviceId: string, path: string) {
  void invalidate(['files', deviceId, 'contents', path], ['files', deviceId, 'folders', path])
}

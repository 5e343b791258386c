import { queryOptions, type QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { ApiError, buildUrl } from '../../shared/contract/client.ts'
import { ProblemDetails } from '../../shared/contract/problem.ts'
import { FileSystemEntryDto } from '../../shared/dtos/file-system.ts'
import { api, sendSignedIn, statusOf } from './http.ts'
import { ObjectStream } from './object-stream.ts'

export type Entry = z.output<typeof FileSystemEntryDto>

/** Which files: those of a device, asked for in the name of an organization. */
export interface FilePlace {
  deviceId: string
  tenantId: string
}

export interface Listing {
  isThere: boolean
  entries: readonly Entry[]
  /** More of it is on its way. */
  isPartial: boolean
  /** There are more than the server lists. */
  isTruncated: boolean
  /** When it was complete, or begun, in ms since the epoch. */
  at: number
}

const showMs = 200

/** The failure of a request that no client of ours made. */
export async function failureOf(answer: Response): Promise<ApiError> {
  const text = await answer.text()
  try {
    return new ApiError(answer.status, ProblemDetails.safeParse(JSON.parse(text)).data)
  } catch {
    return new ApiError(answer.status, undefined, text === '' ? undefined : text)
  }
}

/** Lists a folder of any size; `onPart` gets what is there so far, a few times a second. */
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

const retry = (count: number, error: Error) => count < 2 && statusOf(error) === undefined

/** Contents of folders, asked of the device. */
export const fileQueries = {
  roots: ({ deviceId, tenantId }: FilePlace) =>
    queryOptions({
      queryKey: ['files', deviceId, 'roots'],
      queryFn: async ({ signal }) => (await api.files.rootDrives({ body: { deviceId }, tenantId }, signal)).drives,
      retry,
    }),
  folder: (place: FilePlace, path: string, client: QueryClient) => {
    const queryKey = ['files', place.deviceId, 'contents', path]
    return queryOptions({
      queryKey,
      queryFn: ({ signal }) =>
        listFolder(place, path, signal, (listing) => {
          // A list that is on screen stays until the new one is whole.
          const shown = client.getQueryData<Listing>(queryKey)
          if (!signal.aborted && (!shown || shown.isPartial)) {
            client.setQueryData(queryKey, listing)
          }
        }),
      retry,
      structuralSharing: false,
    })
  },
  subfolders: ({ deviceId, tenantId }: FilePlace, directoryPath: string) =>
    queryOptions({
      queryKey: ['files', deviceId, 'folders', directoryPath],
      queryFn: async ({ signal }) =>
        (await api.files.subdirectories({ body: { deviceId, directoryPath }, tenantId }, signal)).subdirectories,
      staleTime: 30_000,
      retry,
    }),
}

/** Lists a folder by a query that nothing on screen observes: it is not canceled when the page is left. */
export const listForUpload = (place: FilePlace, path: string, client: QueryClient) =>
  client.fetchQuery({
    ...fileQueries.folder(place, path, client),
    queryKey: ['files', place.deviceId, 'for-upload', path],
    staleTime: 0,
    gcTime: 0,
  })

/** Has what is known of a folder asked for again. */
export function refreshFolder(client: QueryClient, deviceId: string, path: string) {
  void client.invalidateQueries({ queryKey: ['files', deviceId, 'contents', path] })
  void client.invalidateQueries({ queryKey: ['files', deviceId, 'folders', path] })
}

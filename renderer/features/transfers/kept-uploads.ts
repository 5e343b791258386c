import { z } from 'zod'
import { parseJson } from '../../../shared/contract/parse-json.ts'
import { createEvent } from '../../api/create-event.ts'
import { tabStorage } from '../../api/storage.ts'

/** Part of an upload: a file that is not complete on the device, or an empty folder. */
const KeptPart = z.object({
  /** Upload id of the device's partial file. */
  uploadId: z.string(),
  /** Folders of the file, relative to the upload. */
  folders: z.array(z.string()).readonly(),
  /** Identifies the file when it is chosen again; undefined for an empty folder. `modifiedAt` in ms since the epoch. */
  file: z.object({ name: z.string(), size: z.number(), modifiedAt: z.number() }).optional(),
  /** Name on the device. */
  name: z.string(),
  overwrite: z.boolean(),
})
export type KeptPart = z.output<typeof KeptPart>

/** Missing parts of an upload; empty if there were too many to store. */
const KeptUpload = z.object({
  id: z.string(),
  place: z.object({ deviceId: z.string(), tenantId: z.string(), ownedBy: z.string().optional() }),
  deviceName: z.string(),
  /** Folder on the device. */
  target: z.string(),
  name: z.string(),
  parts: z.array(KeptPart).readonly(),
})
export type KeptUpload = z.output<typeof KeptUpload>

const Stored = z.object({ userId: z.string(), uploads: z.array(KeptUpload) })

const storageKey = 'farhand.uploads'

const changes = createEvent<void>()
/** Uploads in progress on this page. */
const running = new Map<string, KeptUpload>()
/** Upload ids of failed parts: only interrupted ones can resume after a reload. */
const failed = new Set<string>()
let cut: readonly KeptUpload[] = []
let userId = ''

/**
 * Uploads interrupted by leaving the page. The browser grants access to their files only when the user chooses them
 * again.
 */
export const cutUploads = () => cut
export const onCutChange = changes.on

function setCut(uploads: readonly KeptUpload[]) {
  cut = uploads
  changes.emit()
}

export const keepUpload = (upload: KeptUpload) => void running.set(upload.id, upload)

export const partFailed = (uploadId: string) => void failed.add(uploadId)
/** Called when a part starts, also for a retry. */
export const partBegan = (uploadId: string) => void failed.delete(uploadId)

/** Called when a part is complete; the last one removes the upload. */
export function partArrived(id: string, uploadId: string) {
  const upload = running.get(id)
  const parts = upload?.parts.filter((part) => part.uploadId !== uploadId) ?? []
  if (upload && parts.length > 0) {
    running.set(id, { ...upload, parts })
  } else {
    running.delete(id)
  }
}

export const forgetUpload = (id: string) => void running.delete(id)

/** Updates the missing parts of an interrupted upload; without any the upload is removed. */
export const setMissingParts = (id: string, parts: readonly KeptPart[]) =>
  setCut(
    parts.length > 0
      ? cut.map((upload) => (upload.id === id ? { ...upload, parts } : upload))
      : cut.filter((upload) => upload.id !== id),
  )

const store = (uploads: readonly KeptUpload[]) => tabStorage.set(storageKey, JSON.stringify({ userId, uploads }))

/**
 * Stores the missing parts when the page is left. Written only then, since a duplicated tab would list running uploads.
 */
export function storeUploads() {
  const missing = [...running.values()].map((upload) => ({
    ...upload,
    parts: upload.parts.filter(({ uploadId }) => !failed.has(uploadId)),
  }))
  const uploads = [...cut, ...missing.filter(({ parts }) => parts.length > 0)]
  if (userId !== '' && uploads.length > 0 && !store(uploads)) {
    // Tens of thousands of parts exceed the storage; then only the uploads are stored.
    store(uploads.map((upload) => ({ ...upload, parts: [] })))
  }
}

/** Restores the interrupted uploads of a user; another user may have signed in meanwhile, in another tab. */
export function restoreUploads(user: string) {
  if (user !== userId) {
    forgetUploads()
  }
  const stored = tabStorage.get(storageKey)
  tabStorage.remove(storageKey)
  userId = user
  if (stored !== null) {
    const kept = Stored.safeParse(parseJson(stored)).data
    setCut(kept?.userId === user ? kept.uploads : [])
  }
}

/** Clears all uploads, also from storage. Returns those that were listed. */
export function forgetUploads(): readonly KeptUpload[] {
  const forgotten = cut
  userId = ''
  running.clear()
  failed.clear()
  setCut([])
  return forgotten
}

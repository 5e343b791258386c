import { z } from 'zod'
import { createEvent } from '../../api/event.ts'

/** A file that is not on the device yet, or a folder with nothing in it. */
const KeptPart = z.object({
  /** By which the device knows what it has of the file. */
  uploadId: z.string(),
  /** The folders that it came in, here as there. */
  folders: z.array(z.string()).readonly(),
  /** What is asked for again; none for an empty folder. `modifiedAt` in ms since the epoch. */
  file: z.object({ name: z.string(), size: z.number(), modifiedAt: z.number() }).optional(),
  /** As it is called on the device. */
  name: z.string(),
  overwrite: z.boolean(),
})
export type KeptPart = z.output<typeof KeptPart>

/** What is missing of an upload; no parts when there were too many to keep. */
const KeptUpload = z.object({
  id: z.string(),
  place: z.object({ deviceId: z.string(), tenantId: z.string() }),
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
/** Under way in this page. */
const running = new Map<string, KeptUpload>()
/** Upload ids of parts that failed: only those that were cut off can go on after a reload. */
const failed = new Set<string>()
let cut: readonly KeptUpload[] = []
let userId = ''

/** Uploads that the page was left in the middle of. The browser gives it their files only if the person chooses them again. */
export const cutUploads = () => cut
export const onCutChange = changes.on

function setCut(uploads: readonly KeptUpload[]) {
  cut = uploads
  changes.emit()
}

export const keepUpload = (upload: KeptUpload) => void running.set(upload.id, upload)

export const partFailed = (uploadId: string) => void failed.add(uploadId)
/** A part is tried, for the first time or again. */
export const partBegan = (uploadId: string) => void failed.delete(uploadId)

/** A part has arrived; with the last one nothing is kept. */
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

/** What is missing of an upload that was cut; with nothing missing it is no more. */
export const leaveCut = (id: string, parts: readonly KeptPart[]) =>
  setCut(
    parts.length > 0
      ? cut.map((upload) => (upload.id === id ? { ...upload, parts } : upload))
      : cut.filter((upload) => upload.id !== id),
  )

function store(uploads: readonly KeptUpload[]): boolean {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ userId, uploads }))
    return true
  } catch {
    return false
  }
}

/** In one tab, and only between two pages of it: a copy of the tab would list what goes on here. */
export function storeUploads() {
  const missing = [...running.values()].map((upload) => ({
    ...upload,
    parts: upload.parts.filter(({ uploadId }) => !failed.has(uploadId)),
  }))
  const uploads = [...cut, ...missing.filter(({ parts }) => parts.length > 0)]
  if (userId !== '' && uploads.length > 0 && !store(uploads)) {
    // Tens of thousands of files have no room: then at least that they were cut off.
    store(uploads.map((upload) => ({ ...upload, parts: [] })))
  }
}

/** Lists what was cut off, if it is this person's. Somebody else may have signed in meanwhile, in another tab. */
export function restoreUploads(user: string) {
  if (user !== userId) {
    forgetUploads()
  }
  const stored = sessionStorage.getItem(storageKey)
  sessionStorage.removeItem(storageKey)
  userId = user
  if (stored !== null) {
    const kept = Stored.safeParse(parseJson(stored)).data
    setCut(kept?.userId === user ? kept.uploads : [])
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Leaves nothing behind for the next person. Returns what was listed. */
export function forgetUploads(): readonly KeptUpload[] {
  const forgotten = cut
  userId = ''
  running.clear()
  failed.clear()
  setCut([])
  return forgotten
}

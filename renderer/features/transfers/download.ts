import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { deviceFileSystemForm } from '../../../shared/api/device-file-system-form.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { pageTicketParameter } from '../../../shared/page-key.ts'
import { desktop } from '../../api/desktop.ts'
import { failureOf, type FilePlace } from '../../api/files.ts'
import { api, sendSignedIn } from '../../api/http.ts'
import { transferError } from './transfer-error.ts'
import { memoryFile, type SavedFile } from './saved-file.ts'
import type { TransferPart } from './transfer.ts'

declare global {
  interface Window {
    /** Chromium only, on https and localhost. */
    showSaveFilePicker?: (options: { id: string; suggestedName: string; startIn: string }) => Promise<SavedFile>
  }
}

/** Requested file, or several entries as a zip. */
export type Wanted = FilePlace & ({ filePath: string } | { archiveFileName: string; targetPaths: string[] })

/** Builds the request of a download. Only a single file can be resumed: archives are created again. */
function request(
  wanted: Wanted,
  rest: { offset: number; etag: string } | undefined,
  ticket: Record<string, string> = {},
): [url: string, init: RequestInit] {
  const { deviceId, tenantId } = wanted
  const { download, downloadArchive } = deviceFileSystem.routes
  if ('filePath' in wanted) {
    const url = buildUrl(download.path, {
      params: { deviceId },
      query: { filePath: wanted.filePath, ...ticket },
      tenantId,
    })
    return [url, { headers: rest ? { range: `bytes=${rest.offset}-`, 'if-range': rest.etag } : {} }]
  }
  const { archiveFileName, targetPaths } = wanted
  return [
    buildUrl(downloadArchive.path, { params: { deviceId }, tenantId }),
    {
      method: downloadArchive.method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ archiveFileName, targetPaths }),
    },
  ]
}

/** Downloads into a file that the user chose; resumes after an interruption if the file on the device is unchanged. */
export function downloadPart(wanted: Wanted, name: string, file: SavedFile) {
  let writable: Awaited<ReturnType<SavedFile['createWritable']>> | undefined
  let received = 0
  let etag: string | undefined

  const run: TransferPart['run'] = async ({ signal, report }) => {
    try {
      const rest = etag !== undefined && received > 0 ? { offset: received, etag } : undefined
      const [url, init] = request(wanted, rest)
      const answer = await sendSignedIn(url, { ...init, signal })
      if (!answer.ok || !answer.body) {
        throw await failureOf(answer)
      }
      writable ??= await file.createWritable()
      if (answer.status !== 206) {
        received = 0
        await writable.seek(0)
        await writable.truncate(0)
      }
      etag = answer.headers.get('etag') ?? undefined
      const total = received + Number(answer.headers.get('content-length'))
      report(received, total)
      for (let reader = answer.body.getReader(), read = await reader.read(); !read.done; read = await reader.read()) {
        await writable.write(read.value)
        received += read.value.length
        report(received, total)
      }
      if (received !== total) {
        throw new TypeError('The file broke off.')
      }
      await writable.close()
    } catch (error) {
      // Disk errors, such as a full disk, are not temporary.
      throw error instanceof DOMException && !signal.aborted ? error : await transferError(error, signal)
    }
  }
  const discard = async () => {
    await writable?.abort().catch(() => undefined)
    await file.remove?.().catch(() => undefined)
  }
  return { part: { name, size: undefined, run } satisfies TransferPart, discard: () => void discard() }
}

/** Up to this size, files are saved without a dialog. */
const smallBytes = 16 * 1024 * 1024
/** Up to this size, downloads are buffered in memory if the browser cannot write into a chosen file. */
const memoryBytes = 256 * 1024 * 1024
/** A dialog closed sooner was never shown, for example because a browser policy blocks it. */
const unseenMs = 100

/**
 * Asks where to save a large download. `browser`: the browser saves it; undefined: the user canceled. In the desktop
 * app the native dialog asks.
 */
export async function chooseFile(name: string, bytes: number): Promise<SavedFile | 'browser' | undefined> {
  if (desktop) {
    return 'browser'
  }
  if (bytes < smallBytes || !window.showSaveFilePicker) {
    return bytes < memoryBytes ? memoryFile(name) : 'browser'
  }
  const askedAt = performance.now()
  try {
    return await window.showSaveFilePicker({ id: 'farhand-downloads', suggestedName: name, startIn: 'downloads' })
  } catch (error) {
    const isDeclined = error instanceof DOMException && error.name === 'AbortError'
    return isDeclined && performance.now() - askedAt > unseenMs ? undefined : 'browser'
  }
}

/**
 * Starts a download by the browser, which streams to disk and has its own list. `onRefused` is called when the response
 * is not a file.
 */
export async function downloadByBrowser(wanted: Wanted, onRefused: (error: Error) => void): Promise<void> {
  const handleRefused = async (error: unknown) => onRefused(await transferError(error, new AbortController().signal))
  try {
    const { ticket } = await api.ownSession.issueTicket({})
    loadInFrame(wanted, { [pageTicketParameter]: ticket }, (error) => void handleRefused(error))
  } catch (error) {
    await handleRefused(error)
  }
}

/** Lets the browser save the response of a GET route. */
export async function saveAddress(address: string): Promise<void> {
  const { ticket } = await api.ownSession.issueTicket({})
  const url = new URL(address, location.origin)
  url.searchParams.set(pageTicketParameter, ticket)
  const link = document.createElement('a')
  Object.assign(link, { href: url.href, download: '' })
  link.click()
}

function loadInFrame(wanted: Wanted, ticket: Record<string, string>, onRefused: (error: unknown) => void) {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.name = `download-${Math.random()}`
  document.body.append(frame)
  // The frame loads only responses that are not files. Error pages cannot be read from it, so the request is repeated
  // to get the reason.
  frame.addEventListener('load', () => {
    frame.remove()
    const checking = new AbortController()
    const [url, init] = request(wanted, undefined)
    void sendSignedIn(url, { ...init, signal: checking.signal })
      .then(async (answer) => {
        const failure = answer.ok ? new Error('again') : await failureOf(answer)
        checking.abort()
        throw failure
      })
      .catch(onRefused)
  })
  if ('filePath' in wanted) {
    frame.src = request(wanted, undefined, ticket)[0]
  } else {
    const { method, path } = deviceFileSystemForm.routes.downloadArchive
    const action = buildUrl(path, { params: { deviceId: wanted.deviceId }, query: ticket })
    submitForm({ method, action, target: frame.name }, wanted)
  }
}

function submitForm(
  to: { method: string; action: string; target: string },
  fields: { archiveFileName: string; targetPaths: string[] },
) {
  const form = document.createElement('form')
  Object.assign(form, { ...to, hidden: true })
  const add = (name: string, value: string) => {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  add('archiveFileName', fields.archiveFileName)
  fields.targetPaths.forEach((path) => add('targetPaths', path))
  document.body.append(form)
  form.submit()
  form.remove()
}

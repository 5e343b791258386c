import { deviceFileSystem } from '../../../shared/api/device-file-system.ts'
import { buildUrl } from '../../../shared/contract/client.ts'
import { pageTicketParameter } from '../../../shared/page-key.ts'
import { safeFileName } from '../../../shared/safe-file-names.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { personLeft } from '../../api/person-left.ts'

/** Age up to which a ticket is used, in ms: it expires after a minute, and a drag takes time. */
const freshMs = 40_000

let held: { ticket: string; at: number } | undefined
personLeft.on(() => (held = undefined))

const isFresh = () => held !== undefined && performance.now() - held.at < freshMs

/** Gets a ticket before a drag begins, because the drag cannot wait for an answer. */
export async function prepareDragOut(): Promise<void> {
  if (!isFresh()) {
    const at = performance.now()
    const answer = await api.ownSession.issueTicket({}).catch(() => undefined)
    held = answer && { ticket: answer.ticket, at }
  }
}

/**
 * Lets Chromium save a dragged entry where it is dropped outside of the page; other browsers ignore this. The address
 * works once, within a minute and in this session (T16).
 */
export function offerDragOut(data: DataTransfer, { deviceId, tenantId }: FilePlace, entry: Entry): void {
  if (!held || !isFresh()) {
    return
  }
  const path = buildUrl(deviceFileSystem.routes.download.path, {
    params: { deviceId },
    query: { filePath: entry.fullPath, [pageTicketParameter]: held.ticket },
    tenantId,
  })
  const name = safeFileName(entry.name) + (entry.isDirectory ? '.zip' : '')
  data.setData('DownloadURL', `application/octet-stream:${name}:${new URL(path, location.origin).href}`)
  held = undefined
}

import { chooseFile, downloadByBrowser, downloadPart, type Wanted } from './download.ts'
import { FinalFailure } from './transfer.ts'
import { transfers } from './transfers.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { nameOf } from '../../api/device-path.ts'
import { safeFileName } from '../../../shared/safe-file-names.ts'

/** File or folder of the device to download. */
type EntryToSave = Pick<Entry, 'name' | 'fullPath' | 'isDirectory' | 'size'>

/** Request for the entries, and the file name to save (T18). */
function wantedOf(
  place: FilePlace,
  folder: string,
  deviceName: string,
  entries: readonly EntryToSave[],
): [Wanted, string] {
  const [first] = entries
  if (entries.length === 1 && first) {
    const name = safeFileName(first.name)
    return [{ ...place, filePath: first.fullPath }, first.isDirectory ? `${name}.zip` : name]
  }
  const archiveFileName = `${safeFileName(`${deviceName} ${nameOf(folder).replace(/[\\/:]/g, '')}`.trim())}.zip`
  return [{ ...place, archiveFileName, targetPaths: entries.map(({ fullPath }) => fullPath) }, archiveFileName]
}

/** Downloads entries: a single file as it is, folders and several entries as a zip. */
export async function startDownload(
  place: FilePlace,
  deviceName: string,
  folder: string,
  entries: readonly EntryToSave[],
) {
  const [wanted, name] = wantedOf(place, folder, deviceName, entries)
  const bytes = entries.reduce((total, { isDirectory, size }) => total + (isDirectory ? Infinity : size), 0)
  const file = await chooseFile(name, bytes)
  const request = { kind: 'download', deviceId: place.deviceId, deviceName, name, folder } as const
  if (file === 'browser') {
    const begin = () => void downloadByBrowser(wanted, fail)
    // Lists the failure as a transfer, which can be retried.
    const fail = (error: Error) => {
      let isFirst = true
      const run = () => {
        if (isFirst) {
          isFirst = false
          return Promise.reject(error instanceof FinalFailure ? error : new Error(error.message))
        }
        begin()
        return Promise.resolve()
      }
      transfers.add({ ...request, parts: [{ name, size: 0, run }] })
    }
    begin()
    transfers.add({ ...request, isByBrowser: true, parts: [{ name, size: 0, run: () => Promise.resolve() }] })
  } else if (file) {
    const { part, discard } = downloadPart(wanted, name, file)
    transfers.add({ ...request, parts: [part], onCanceled: discard })
  }
}

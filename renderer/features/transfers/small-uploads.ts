import { applianceDeviceUploads } from '../../../shared/api/appliance-device-uploads.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import { maxSmallFileBytes, maxSmallFiles, SmallFilesResultDto } from '../../../shared/dtos/file-messages.ts'
import type { FilePlace } from '../../api/files.ts'
import { transferError } from './transfer-error.ts'
import { sendBytes } from './send-bytes.ts'
import { sha256OfBytes } from './sha256.ts'
import { FinalFailure, type PartGroup, type PartProgress, type TransferPart } from './transfer.ts'
import { arrived } from './upload.ts'

/** Largest file that travels with others: above, a file of its own resumes in its middle. */
export const smallBytes = 256 * 1024

interface SmallFile {
  file: File
  folders: readonly string[]
  /** Folder on the device. */
  folder: string
  name: string
  overwrite: boolean
  begin: () => void
  settle: (error: unknown) => void
}

interface ReadFile extends SmallFile {
  bytes: Uint8Array<ArrayBuffer>
}

/** File to send with others in a request. */
export interface FileToPost {
  /** Folder on the device. */
  folder: string
  name: string
  bytes: Uint8Array<ArrayBuffer>
  overwrite: boolean
  /** Hash that the replaced file must have. */
  replaces?: string
  /** Whether to make an empty folder instead. */
  isFolder?: boolean
}

async function headOf(files: readonly FileToPost[], ownedBy: string | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const list = await Promise.all(
    files.map(async ({ folder, name, bytes, overwrite, replaces, isFolder }) => ({
      targetDirectory: folder,
      fileName: name,
      isFolder,
      fileSize: bytes.length,
      sha256: await sha256OfBytes(bytes),
      overwrite,
      replaces,
    })),
  )
  const text = new TextEncoder().encode(JSON.stringify({ files: list, ownedBy }))
  const head = new Uint8Array(4 + text.length)
  new DataView(head.buffer).setUint32(0, text.length)
  head.set(text, 4)
  return head
}

/** Sends small files with one request; returns for each why it was not written, or null. */
export async function postFiles(
  { deviceId, ownedBy }: Pick<FilePlace, 'deviceId' | 'ownedBy'>,
  files: readonly FileToPost[],
  { signal, report = () => {} }: { signal: AbortSignal; report?: PartProgress['report'] },
): Promise<readonly (string | null)[]> {
  const { method, path } = applianceDeviceUploads.routes.sendSmall
  const head = await headOf(files, ownedBy)
  const answer = await sendBytes({
    method,
    url: buildUrl(path, { params: { deviceId } }),
    headers: { 'content-type': 'application/octet-stream' },
    body: new Blob([head, ...files.map(({ bytes }) => bytes)]),
    signal,
    onProgress: (bytes) => report(Math.max(0, bytes - head.length)),
  })
  return SmallFilesResultDto.parse(await answer.json()).problems
}

/** Small files of an upload, several in a request. Devices that do not support this get each file by itself. */
export class SmallUploads implements PartGroup {
  readonly mostParts = maxSmallFiles
  readonly mostBytes = maxSmallFileBytes
  readonly #place: FilePlace
  readonly #ensure: (folders: readonly string[]) => Promise<void>
  readonly #files = new Map<TransferPart, SmallFile>()
  #isSupported = true

  /** `ensure` makes folders below the target of the upload. */
  constructor(place: FilePlace, ensure: (folders: readonly string[]) => Promise<void>) {
    this.#place = place
    this.#ensure = ensure
  }

  add(part: TransferPart, file: SmallFile): void {
    this.#files.set(part, file)
  }

  readonly run: PartGroup['run'] = async (parts, progress) => {
    const files = parts.map((part) => this.#files.get(part)!)
    if (this.#isSupported) {
      files.forEach(({ begin }) => begin())
      try {
        const errors = await this.#send(files, progress)
        files.forEach(({ settle }, index) => settle(errors[index]))
        return errors
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 409)) {
          const shown = await transferError(error, progress.signal)
          files.forEach(({ settle }) => settle(shown))
          throw shown
        }
        this.#isSupported = false
      }
    }
    return await oneByOne(parts, progress)
  }

  /** Returns for each file why it was not sent. */
  async #send(files: readonly SmallFile[], { signal, report }: PartProgress): Promise<(Error | undefined)[]> {
    const read = await Promise.all(files.map((file) => this.#read(file, signal)))
    const ready = read.filter((each): each is ReadFile => !(each instanceof Error))
    const problems = ready.length > 0 ? await postFiles(this.#place, ready, { signal, report }) : []
    new Set(ready.map(({ folder }) => folder)).forEach((folder) => arrived({ ...this.#place, folder }))
    const outcomes = problems.values()
    return read.map((each) => {
      const problem = each instanceof Error ? each : outcomes.next().value
      return typeof problem === 'string' ? new Error(problem) : (problem ?? undefined)
    })
  }

  async #read(file: SmallFile, signal: AbortSignal): Promise<ReadFile | Error> {
    try {
      await this.#ensure(file.folders)
    } catch (error) {
      return await transferError(error, signal)
    }
    try {
      return { ...file, bytes: new Uint8Array(await file.file.arrayBuffer()) }
    } catch {
      return new FinalFailure('changed')
    }
  }
}

async function oneByOne(parts: readonly TransferPart[], { signal, report, check }: PartProgress) {
  const errors: (Error | undefined)[] = []
  let before = 0
  for (const part of parts) {
    try {
      await part.run({ signal, check, report: (bytes) => report(before + bytes) })
      errors.push(undefined)
    } catch (error) {
      errors.push(error as Error)
    }
    before += part.size ?? 0
  }
  return errors
}

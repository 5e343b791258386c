import { mkdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../../support/server.ts'

/** Requests for the files of one device. */
export interface DeviceFiles {
  address(operation: string, query?: Record<string, string>): string
  contents(directoryPath: string): ReturnType<Member['deviceFileSystem']['contents']>
  download(filePath: string): Promise<Response>
  archive(targetPaths: string[]): Promise<Response>
  upload(
    directory: string,
    content: Uint8Array<ArrayBuffer>,
    options?: { name?: string; overwrite?: boolean },
  ): Promise<Response>
}

/** Starts a server with this machine as its device and the real agent, for tests of files. */
export interface FileScene extends DeviceFiles {
  owner: Member
  device: RealDevice
  /** Creates a new folder on the device. */
  folder(): string
  stop(): Promise<void>
}

export const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
export const detailOf = async (response: Response): Promise<string | undefined> =>
  ((await response.json()) as { detail?: string }).detail
export const someBytes = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(length))

export function filesOf(owner: Member, deviceId: string): DeviceFiles {
  const { tenantId } = owner
  const address = (operation: string, query: Record<string, string> = {}) =>
    `/api/v1/device-file-system/${operation.replace('ID', deviceId)}?${new URLSearchParams({ tenantId, ...query }).toString()}`
  return {
    address,
    contents: (directoryPath) => owner.deviceFileSystem.contents({ tenantId, body: { deviceId, directoryPath } }),
    download: (filePath) => owner.fetch(address('download/ID', { filePath })),
    archive: (targetPaths) =>
      owner.fetch(address('download-archive/ID'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ archiveFileName: 'some.zip', targetPaths }),
      }),
    upload(directory, content, { name = 'a.bin', overwrite = false } = {}) {
      const form = new FormData()
      form.append('targetSaveDirectory', directory)
      form.append('overwrite', String(overwrite))
      form.append('file', new Blob([content]), name)
      return owner.fetch(address('upload/ID'), { method: 'POST', body: form })
    },
  }
}

export async function startFileScene(): Promise<FileScene> {
  const server: TestServer = await startTestServer({ settings: { AppOptions__MaxFileTransferSize: '0' } })
  const owner = await server.owner()
  const device = await startRealDevice(owner)
  let folders = 0
  return {
    ...filesOf(owner, device.id),
    owner,
    device,
    folder() {
      const path = device.path(`files-${folders++}`)
      mkdirSync(path)
      return path
    },
    async stop() {
      await device.stop()
      await server.stop()
    },
  }
}

import { homesOf } from '../../shared/person-folders.ts'
import { deviceNotConnected } from '../../shared/dtos/hub-result.ts'
import type { Call } from '../call/call.ts'
import { requireFilesConsent } from '../remote/consent.ts'
import { refusedWith } from '../devices/calls.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { forbidden } from '../ground/errors.ts'
import type { TransferCall } from '../remote/agent-exchange.ts'
import { pathSegments } from '../files/file-system.ts'
import { uploadFromViewer } from '../files/uploads.ts'
import { done, failed, skipped, type Step } from './step.ts'

const windows = 1

const refusal = refusedWith(409)

interface Target {
  folder: string
  /** Person to whom the folder must belong: that person could lead it elsewhere meanwhile (T32). */
  ownedBy?: string
}

/** Desktop, or else the folder, of the first person who is signed in and has one where people usually have it. */
async function personFolder(call: Call, device: DeviceState): Promise<Target | undefined> {
  const { platform, currentUsers } = device
  const separator = platform === windows ? '\\' : '/'
  for (const person of currentUsers) {
    for (const folder of homesOf(platform, [person]).flatMap((home) => [`${home}${separator}Desktop`, home])) {
      if ((await pathSegments(call, device, folder)).pathExists) {
        return { folder, ownedBy: person }
      }
    }
  }
  return undefined
}

/** Sends the files of a batch to a folder of a device, one after another, as uploads of the caller. */
export const sendFiles: Step = async (call, device, { delivery, signal, onProgress }) => {
  const { app, principal } = call
  const mayUpload = deviceRight(app, principal, 'device.file-system.transfer-upload')
  const transfer: TransferCall = {
    ...call,
    closed: () => signal,
    async recheck() {
      const current = app.fleet.get(device.id)
      if (!principal.isLive() || !current || !mayUpload(current)) {
        throw forbidden('Your right to upload to this device has ended.')
      }
    },
  }
  await requireFilesConsent(transfer, device)
  const target = delivery.folder === null ? await personFolder(call, device) : { folder: delivery.folder }
  if (target === undefined) {
    return skipped('Nobody with a folder of their own is signed in.')
  }
  const { folder, ownedBy }: Target = target
  const { files, overwrite } = delivery
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const problems: string[] = []
  let sent = 0
  async function* counted(bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      sent += chunk.length
      onProgress(sent / total)
      yield chunk
    }
  }
  for (const { name: fileName, size: fileSize, read } of files) {
    const file = { deviceId: device.id, targetDirectory: folder, fileName, fileSize, contentType: '', overwrite }
    const metadata = { ...file, ownedBy }
    const { isSuccess, reason } = await uploadFromViewer(transfer, device, metadata, counted(read()), refusal)
    if (signal.aborted) {
      return failed(signal.reason as string)
    }
    if (reason === deviceNotConnected) {
      return { state: 'interrupted', reason: 'The connection to the device was lost.' }
    }
    if (!isSuccess) {
      problems.push(files.length === 1 ? reason! : `${fileName}: ${reason}`)
    }
  }
  const [first] = problems
  if (first === undefined) {
    return done(delivery.folder === null ? `Sent to ${folder}` : null)
  }
  return failed(problems.length === 1 ? first : `${problems.length} of ${files.length} files failed. ${first}`)
}

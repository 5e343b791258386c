import {
  fileFactsType,
  setFileModeType,
  type FileFactsDto,
  type FileFactsRequestDto,
  type FileModeDto,
} from '../../shared/dtos/file-messages.ts'
import type { RouteCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { forbidden } from '../ground/errors.ts'
import { deviceFailed } from '../devices/calls.ts'
import { askAboutFiles } from './file-messages.ts'

async function askProperties(
  call: RouteCall,
  device: DeviceState,
  type: string,
  request: object,
): Promise<FileFactsDto> {
  const answer = await askAboutFiles(call, device, type, request)
  if (!answer.facts) {
    throw deviceFailed('The device did not describe the file.')
  }
  return answer.facts
}

/** Describes a file. A hash tells content: who may not read a file could find short contents by trying (T04). */
export async function fileProperties(
  call: RouteCall,
  device: DeviceState,
  request: FileFactsRequestDto,
): Promise<FileFactsDto> {
  const mayDownload = deviceRight(call.app, call.principal, 'device.file-system.transfer-download')
  if (request.isHashWanted && !mayDownload(device)) {
    throw forbidden('The SHA-256 of a file needs the permission to download files.')
  }
  return await askProperties(call, device, fileFactsType, request)
}

/** Changes the permission bits of a file on a device. */
export async function setFileMode(call: RouteCall, device: DeviceState, request: FileModeDto): Promise<FileFactsDto> {
  const { app, actor } = call
  const record = (reason: string | null) =>
    app.audit.record(actor, {
      kind: 'file.mode-changed',
      outcome: reason === null ? 'success' : 'failure',
      device,
      target: { kind: 'file', name: request.path },
      details: { mode: request.mode.toString(8).padStart(3, '0'), reason },
    })
  try {
    const changed = await askProperties(call, device, setFileModeType, request)
    await record(null)
    return changed
  } catch (error) {
    await record((error as Error).message)
    throw error
  }
}

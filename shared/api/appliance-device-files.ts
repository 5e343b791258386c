import { z } from 'zod'
import { id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import {
  FileFactsDto,
  FileFactsRequestDto,
  FileModeDto,
  FileOperationDto,
  FileOperationStateDto,
  FollowedDto,
  FollowFileDto,
} from '../dtos/file-messages.ts'
import { deviceId } from '../dtos/references.ts'

const problems = {
  400: 'The request is wrong, the device is not online, or the device refused: the detail is its reason.',
  408: 'The device did not answer in time.',
  409: 'The agent of the device is of another make, or too old.',
}

/** Work on the files of a device that the interface does not name. */
export const applianceDeviceFiles = defineRoutes('DeviceFiles', {
  operate: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/files/operations/:operationId',
    summary: 'Copy, move or rename files and folders on a device',
    description:
      'The answer is one line of JSON each second, and a last one when all items are done; disconnecting cancels the rest. ' +
      'A copied folder appears when it is whole. A move to another file system copies, compares and then deletes. ' +
      'Nothing is replaced but files whose item says so. A move also needs `device.file-system.delete`.',
    problems,
    access: { permission: 'device.file-system.transfer-upload', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId, operationId: id.describe('Chosen by the client for each operation.') }),
    body: FileOperationDto,
    response: FileOperationStateDto,
    content: 'stream',
    mediaType: 'application/x-ndjson',
  },
  follow: {
    method: 'GET',
    path: '/api/appliance/v1/devices/:deviceId/files/follow',
    summary: 'The end of a text file, and what is appended to it',
    description:
      'The answer is one line of JSON for each piece of text, and an empty object every few seconds; disconnecting ends it. ' +
      'It goes on in the file that takes the name when a log is rotated, for 12 hours at most.',
    problems,
    access: { permission: 'device.file-system.transfer-download', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    query: FollowFileDto,
    response: FollowedDto,
    content: 'stream',
    mediaType: 'application/x-ndjson',
  },
  facts: {
    method: 'POST',
    path: '/api/appliance/v1/devices/:deviceId/files/facts',
    summary: 'Size, dates, owner and permissions of a file, a directory or a link; its SHA-256 on request',
    problems,
    access: { permission: 'device.file-system.read', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    body: FileFactsRequestDto,
    response: FileFactsDto,
  },
  setMode: {
    method: 'PUT',
    path: '/api/appliance/v1/devices/:deviceId/files/mode',
    summary: 'Change the permission bits of a file or a directory, where the system has them',
    problems,
    access: { permission: 'device.file-system.transfer-upload', on: 'device', at: 'deviceId' },
    tenant: 'none',
    params: z.object({ deviceId }),
    body: FileModeDto,
    response: FileFactsDto,
  },
})

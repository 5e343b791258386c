import { z } from 'zod'
import { dto, fileBytes, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { BatchDto, BatchFileDto, BatchOutputDto, BatchResultDto, StartBatchDto } from '../dtos/batch.ts'
import { devicePath } from '../dtos/file-system.ts'
import { deviceId } from '../dtos/references.ts'

const params = z.object({ batchId: id.describe('The batch, by the `id` of `GET /api/appliance/v1/batches`.') })
const notYours = { 404: 'There is none; or somebody else started it.' }

/**
 * Batches: one action on many devices, with a result per device. Only the principal that started a batch can read it.
 */
export const applianceBatches = defineRoutes('Batches', {
  start: {
    method: 'POST',
    path: '/api/appliance/v1/batches',
    summary: 'Run one action on up to 1000 devices; the permission on each device is checked when its step starts',
    description:
      'The batch runs without the client. It ends with the credential that started it. Steps that had not started before a restart of the server are not started.',
    problems: {
      404: 'There is no such tag in a tenant of these devices, or a file is no longer on the server.',
      409: 'Five batches of the caller run already.',
      429: 'The caller started 2,000 batches within an hour.',
    },
    isStable: true,
    access: { scope: 'device.read' },
    tenant: 'none',
    body: StartBatchDto,
    response: BatchDto,
    status: 201,
  },
  addFile: {
    method: 'POST',
    path: '/api/appliance/v1/batch-files',
    summary: 'Leave a file on the server, to be sent to devices by a batch',
    description:
      'The body is the content. Only the caller can send the file. It is removed an hour after the last batch that sent it has ended, ' +
      'and when the server stops; a file that no batch sends is removed an hour after it was left. Needs `device.file-system.transfer-upload` on a device.',
    problems: {
      403: 'The caller may not upload to any device.',
      413: 'The file is larger than the server transfers.',
      429: 'Files of the caller use all the space that the server has for them.',
    },
    access: 'authenticated',
    tenant: 'none',
    query: z.object({ fileName: devicePath.describe('Name that the file gets on the devices; no separators.') }),
    bodyType: 'bytes',
    body: fileBytes,
    response: BatchFileDto,
    status: 201,
  },
  list: {
    method: 'GET',
    path: '/api/appliance/v1/batches',
    summary: 'The last 20 batches of the caller, newest first; they are kept for 30 days',
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    response: listDto('BatchListDto', BatchDto, 'The batches of the caller, newest first; not paged.'),
  },
  get: {
    method: 'GET',
    path: '/api/appliance/v1/batches/:batchId',
    summary: 'A batch and what became of each device, in the order in which they were named',
    problems: notYours,
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    params,
    response: dto('BatchDetailsDto', {
      batch: BatchDto.describe('The batch with its counts.'),
      results: z.array(BatchResultDto).describe('One for each device.'),
    }),
  },
  output: {
    method: 'GET',
    path: '/api/appliance/v1/batches/:batchId/results/:deviceId/output',
    summary: 'What a command wrote on one device, the last 64 KiB at most',
    problems: { 404: 'There is none; or somebody else started the batch.' },
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    params: params.extend({ deviceId }),
    response: BatchOutputDto,
  },
  cancel: {
    method: 'POST',
    path: '/api/appliance/v1/batches/:batchId/cancel',
    summary: 'Begin nothing more; commands that run are ended on request',
    problems: notYours,
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    params,
    body: dto('CancelBatchDto', {
      endRunning: z
        .boolean()
        .default(false)
        .describe('Also end running commands; otherwise only steps that have not started are canceled.'),
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/api/appliance/v1/batches/:batchId',
    summary: 'Forget a batch with its command and its output',
    problems: { ...notYours, 409: 'It is not finished.' },
    access: 'authenticated',
    tenant: 'none',
    params,
  },
})

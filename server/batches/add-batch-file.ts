import type { IncomingBytes } from '../../shared/contract/transfer.ts'
import type { BatchFileDto } from '../../shared/dtos/batch.ts'
import type { RouteCall } from '../call/call.ts'
import { tooLarge } from '../engines/http/contract/multipart.ts'
import { permittedDevices } from '../fleet/rights.ts'
import { badRequest, forbidden, invalid } from '../ground/errors.ts'
import { accountOf, ownerOf } from '../ground/principal.ts'
import { Lifetime, transferLifetimeMs } from '../remote/agent-exchange.ts'
import { transferLimit } from '../files/transfer-limit.ts'
import { isFileName } from '../files/uploads.ts'

const over = badRequest('The upload is over.')

/** Leaves a file of the caller on the server, for batches. */
export async function addBatchFile(call: RouteCall, name: string, body: IncomingBytes): Promise<BatchFileDto> {
  const { app, principal } = call
  const devices = permittedDevices(app, principal, 'device.file-system.transfer-upload', 'readable')
  if (devices[Symbol.iterator]().next().done) {
    throw forbidden('You may not upload files to any device.')
  }
  if (!isFileName(name)) {
    throw invalid({ fileName: ['must be a name that files can have'] })
  }
  const limit = transferLimit(app)
  if (limit !== undefined && (body.length ?? 0) > limit) {
    throw tooLarge(limit)
  }
  await app.diskSpace.requireRoom()
  const sender = { owner: ownerOf(principal), account: accountOf(principal), tenantId: principal.tenantId }
  const life = new Lifetime(call, transferLifetimeMs)
  life.signal.addEventListener('abort', () => body.cancel(life.signal.reason as Error))
  try {
    const bytes = body.read(limit ?? Number.MAX_SAFE_INTEGER)
    return await life.race(app.batchFiles.add(sender, name, bytes, body.length))
  } finally {
    life.end(over)
  }
}

import { applianceBatches } from '../../shared/api/appliance-batches.ts'
import { addBatchFile } from './add-batch-file.ts'
import { presentBatch, presentBatchResult } from './present.ts'
import { cancelBatch, deleteBatch, getBatch, getBatchOutput, listBatches, startBatch } from './batches.ts'
import { implement } from '../surface/implement.ts'

export const applianceBatchRoutes = implement(applianceBatches, {
  start: async (call, { devices, body }) => presentBatch(await startBatch(call, devices, body)),
  addFile: (call, { query, body }) => addBatchFile(call, query.fileName, body),
  list: async (call) => ({ items: (await listBatches(call)).map(presentBatch) }),
  get: async (call, { params }) => {
    const { counted, results } = await getBatch(call, params.batchId)
    return { batch: presentBatch(counted), results: results.map(presentBatchResult) }
  },
  output: (call, { params }) => getBatchOutput(call, params.batchId, params.deviceId),
  cancel: (call, { params, body }) => cancelBatch(call, params.batchId, body.endRunning),
  delete: (call, { params }) => deleteBatch(call, params.batchId),
})

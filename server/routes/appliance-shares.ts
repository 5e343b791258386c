import { applianceShares } from '../../shared/api/appliance-shares.ts'
import { endShare, listShares } from '../services/credentials/shares.ts'
import { implement } from './implement.ts'

export const applianceShareRoutes = implement(applianceShares, {
  list: async (call, { devices, query }) => ({ items: await listShares(call, devices, query.deviceId) }),
  end: (call, { params }) => endShare(call, params.shareId),
})

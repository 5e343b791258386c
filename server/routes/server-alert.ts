import { serverAlert } from '../../shared/api/server-alert.ts'
import { presentServerAlert } from '../presenters/server-alert.ts'
import { getServerAlert, setServerAlert } from '../services/appliance/server-alert.ts'
import { implement } from './implement.ts'

export const serverAlertRoutes = implement(serverAlert, {
  get: async (call) => presentServerAlert(await getServerAlert(call)),
  set: async (call, { body }) => presentServerAlert(await setServerAlert(call, body)),
})

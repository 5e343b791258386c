import { serverAlert } from '../../shared/api/server-alert.ts'
import { presentServerAlert } from './present.ts'
import { getServerAlert, setServerAlert } from './server-alert.ts'
import { implement } from '../surface/implement.ts'

export const serverAlertRoutes = implement(serverAlert, {
  get: async (call) => presentServerAlert(await getServerAlert(call)),
  set: async (call, { body }) => presentServerAlert(await setServerAlert(call, body)),
})

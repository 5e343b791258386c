import { applianceInstallerKeys } from '../../shared/api/appliance-installer-keys.ts'
import { checkKeyForDevice } from '../services/agents/registration.ts'
import { implement } from './implement.ts'

export const applianceInstallerKeyRoutes = implement(applianceInstallerKeys, {
  check: ({ app }, { body }) => checkKeyForDevice(app, body),
})

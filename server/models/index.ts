import type { Sequelize } from 'sequelize'
import { defineDevice } from './device.ts'
import { defineInstallerKey } from './installer-key.ts'
import { defineInstallerKeyUsage } from './installer-key-usage.ts'
import { definePermissionAssignment } from './permission-assignment.ts'
import { defineSession } from './session.ts'
import { defineTenant } from './tenant.ts'
import { defineUser } from './user.ts'

/** Every table's model on one database; made anew for each, so that several can be open in one process. */
export const bindModels = (sequelize: Sequelize) => ({
  Tenant: defineTenant(sequelize),
  User: defineUser(sequelize),
  Session: defineSession(sequelize),
  PermissionAssignment: definePermissionAssignment(sequelize),
  InstallerKey: defineInstallerKey(sequelize),
  InstallerKeyUsage: defineInstallerKeyUsage(sequelize),
  Device: defineDevice(sequelize),
})
export type Models = ReturnType<typeof bindModels>

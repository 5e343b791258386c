import type { DevicePermission } from '../../shared/access.ts'
import type { ConsentMode } from '../../shared/dtos/consent.ts'
import {
  boolean,
  defineTable,
  integer,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const ConsentPolicy = defineTable('consent_policies', {
  id: key(),
  tenantId: references('tenants'),
  name: text(),
  /** Customer and tag that a device needs; null for any device. */
  customerId: references('customers', textOrNull()),
  tagId: references('tags', textOrNull()),
  /** Permission of visitors who are not asked. */
  exceptPermission: textOrNull<DevicePermission>(),
  control: text<ConsentMode>(),
  viewing: text<ConsentMode>(),
  terminal: text<ConsentMode>(),
  files: text<ConsentMode>(),
  allowsSilence: boolean(),
  createdAt: integer(),
}).with({ mirror: null, indexes: { consent_policies_of_tenant: '(tenantId)' } })
export type ConsentPolicyRow = RowOf<typeof ConsentPolicy>

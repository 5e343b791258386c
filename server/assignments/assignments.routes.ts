import { permissions, presets, type PresetName } from '../../shared/access.ts'
import { permissionAssignments } from '../../shared/api/permission-assignments.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { mapInSlices } from '../ground/clock.ts'
import { presentAssignment } from './present.ts'
import {
  applyPresets,
  createAssignment,
  createAssignments,
  deleteAssignment,
  deleteAssignments,
  listAssignments,
  replaceAssignments,
  updateAssignment,
} from './assignments.ts'
import { guardedPermissions } from './own-authority.ts'
import { implement } from '../surface/implement.ts'

const catalog = [...permissions]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, scopeKinds]) => ({
    name,
    ...permissionTexts[name],
    allowedScopeKinds: [...scopeKinds],
    selfRemovable: !guardedPermissions.includes(name),
  }))

const presetList = (Object.keys(presets) as PresetName[])
  .toSorted()
  .map((name) => ({ name, permissions: presets[name].toSorted() }))

export const permissionAssignmentRoutes = implement(permissionAssignments, {
  list: async (call, { tenantId, query }) => {
    const rows = await listAssignments(call, tenantId, query)
    return { items: await mapInSlices(rows, presentAssignment) }
  },
  catalog: () => ({ items: catalog }),
  presets: () => ({ items: presetList }),
  create: async (call, { tenantId, body }) => presentAssignment(await createAssignment(call, tenantId, body)),
  createBatch: (call, { tenantId, body }) => createAssignments(call, tenantId, body.assignments),
  deleteBatch: (call, { tenantId, body }) => deleteAssignments(call, tenantId, body.assignmentIds),
  applyPresets: (call, { tenantId, body }) => applyPresets(call, tenantId, body),
  replace: (call, { tenantId, body }) => replaceAssignments(call, tenantId, body),
  update: async (call, { tenantId, params, body }) =>
    presentAssignment(await updateAssignment(call, tenantId, params.assignmentId, body)),
  delete: (call, { tenantId, params }) => deleteAssignment(call, tenantId, params.assignmentId),
})

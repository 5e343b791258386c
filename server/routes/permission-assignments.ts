import { permissions, presets, type PresetName } from '../../shared/access.ts'
import { permissionAssignments } from '../../shared/api/permission-assignments.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import type { Context } from '../context.ts'
import { presentAssignment } from '../presenters/permission-assignment.ts'
import type { Author } from '../services/rights/assignment-writes.ts'
import { actorOf } from '../services/rights/authorization-log.ts'
import {
  applyPresets,
  createAssignment,
  createAssignments,
  deleteAssignment,
  deleteAssignments,
  listAssignments,
  replaceAssignments,
  updateAssignment,
} from '../services/rights/assignments.ts'
import { guardedPermissions } from '../services/rights/own-authority.ts'
import { callerOf, implement } from './implement.ts'

const authorOf = (context: Context): Author => ({ principal: callerOf(context), actor: actorOf(context) })

const catalog = permissionTexts.map(([name, text]) => ({
  name,
  ...text,
  allowedScopeKinds: [...permissions.get(name)!],
  selfRemovable: !guardedPermissions.includes(name),
}))

const presetList = (Object.keys(presets) as PresetName[])
  .toSorted()
  .map((name) => ({ name, permissions: presets[name].toSorted() }))

export const permissionAssignmentRoutes = implement(permissionAssignments, {
  list: async (context, { tenantId, query }) => {
    const rows = await listAssignments(context.app, callerOf(context), tenantId, query)
    return { items: rows.map(presentAssignment) }
  },
  catalog: () => ({ items: catalog }),
  presets: () => ({ items: presetList }),
  create: async (context, { tenantId, body }) =>
    presentAssignment(await createAssignment(context.app, authorOf(context), tenantId, body)),
  createBatch: (context, { tenantId, body }) =>
    createAssignments(context.app, authorOf(context), tenantId, body.assignments),
  deleteBatch: (context, { tenantId, body }) =>
    deleteAssignments(context.app, authorOf(context), tenantId, body.assignmentIds),
  applyPresets: (context, { tenantId, body }) => applyPresets(context.app, authorOf(context), tenantId, body),
  replace: (context, { tenantId, body }) => replaceAssignments(context.app, authorOf(context), tenantId, body),
  update: async (context, { tenantId, params, body }) =>
    presentAssignment(await updateAssignment(context.app, authorOf(context), tenantId, params.assignmentId, body)),
  delete: (context, { tenantId, params }) =>
    deleteAssignment(context.app, authorOf(context), tenantId, params.assignmentId),
})

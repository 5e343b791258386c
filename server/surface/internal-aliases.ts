/**
 * Deprecated surface under `/api`; each row is answered by a V1 route. On all rows the tenant is the principal's own,
 * lists have no envelope, and a 401 or 403 has no body. Delete this file to remove the surface.
 */
import { z } from 'zod'
import { deviceFileSystem } from '../../shared/api/device-file-system.ts'
import { devices, DeviceSearchRequestDto, DeviceSearchResponseDto } from '../../shared/api/devices.ts'
import { installerKeys } from '../../shared/api/installer-keys.ts'
import { tags } from '../../shared/api/tags.ts'
import { id } from '../../shared/contract/fields.ts'
import { TagResponseDto } from '../../shared/dtos/tag.ts'
import type { OpenRouteCall } from '../call/call.ts'
import { badRequest } from '../ground/errors.ts'
import { alias, aliasGroups, bodyAdapter, responseAdapter } from '../engines/http/contract/alias.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import { desktopPreviewRoutes } from '../remote/remote.routes.ts'
import { deviceFileSystemRoutes } from '../files/files.routes.ts'
import { deviceTagRoutes, tagRoutes } from '../devices/tags.routes.ts'
import { deviceRoutes } from '../devices/devices.routes.ts'
import { searchPresented } from '../fleet/present.ts'
import {
  effectiveUserPreferencesRoutes,
  userPreferencesRoutes,
  userStorageRoutes,
} from '../people/preferences.routes.ts'
import { installerKeyRoutes } from '../agents/installer-keys.routes.ts'
import { inviteRoutes } from '../membership/invites.routes.ts'
import {
  personalAccessTokenRoutes,
  userPersonalAccessTokenRoutes,
} from '../credentials/personal-access-tokens.routes.ts'
import {
  publicServerSettingsRoutes,
  serverAlertRoutes,
  testEmailRoutes,
  userServerSettingRoutes,
} from '../settings/settings.routes.ts'
import { serverLogRoutes, serverStatsRoutes } from '../health/health.routes.ts'
import { tenantSettingsRoutes } from '../organization/tenants.routes.ts'
import { userRoutes } from '../membership/people.routes.ts'
import { versionRoutes } from './version.routes.ts'

const { keyId } = installerKeys.routes.rename.params.shape

const DeviceAlias = bodyAdapter(
  z
    .object({ deviceId: id.describe('Same as in the path.'), alias: devices.routes.setAlias.body.shape.alias })
    .meta({ id: 'InternalUpdateDeviceAliasRequestDto', description: 'Repeats the id of the path.' }),
  (body) => ({ body }),
)

const DeviceSearch = {
  body: bodyAdapter(
    DeviceSearchRequestDto.extend({
      pageSize: z.int().min(0).default(0).describe('Devices per page; 0: only the counts.'),
    }).meta({ id: 'InternalDeviceSearchRequestDto' }),
    (body) => ({ body }),
  ),
  response: responseAdapter(
    DeviceSearchResponseDto.extend({
      hiddenUntaggedDevices: z.int().describe('Untagged devices that only the wanted tags keep out.'),
    }).meta({ id: 'InternalDeviceSearchResponseDto' }),
    (result) => result,
  ),
}

/** Body that repeats the id of the path. */
const repeating = <S extends z.ZodRawShape>(body: z.ZodObject<S>) =>
  bodyAdapter(
    z
      .object({ ...body.shape, deviceId: id.nullish().describe('Same as in the path, or left out.') })
      .meta({ id: `Internal${z.globalRegistry.get(body)?.id}` }),
    (value, params) => {
      const { deviceId, ...rest } = value as { deviceId?: string | null }
      if (deviceId != null && deviceId !== params['deviceId']) {
        throw badRequest('Device ID mismatch.')
      }
      return { body: rest as z.output<z.ZodObject<S>> }
    },
  )

const { createDirectory, deletePath, validatePath } = deviceFileSystem.routes
const text = { failures: 'text' } as const

const KeyName = bodyAdapter(
  z
    .object({ id: keyId, friendlyName: installerKeys.routes.rename.body.shape.friendlyName })
    .meta({ id: 'InternalRenameInstallerKeyRequestDto' }),
  ({ id: keyId, friendlyName }) => ({ params: { keyId }, body: { friendlyName } }),
)

const InternalTagResponseDto = TagResponseDto.extend({
  userIds: z.array(id).describe('Always empty: tags give no rights.'),
}).meta({ id: 'InternalTagResponseDto' })
const withUserIds = (tag: TagResponseDto) => ({ ...tag, userIds: [] })
const OneTag = responseAdapter(InternalTagResponseDto, withUserIds)
const AllTags = responseAdapter(z.array(InternalTagResponseDto), ({ items }: { items: TagResponseDto[] }) =>
  items.map(withUserIds),
)

/** Body with the current or the older member for the new name. */
const tagName = tags.routes.rename.body.shape.name.optional()
const TagName = z.object({
  name: tagName,
  newTagName: tagName.describe('Older name of `name`; counts where that is left out.'),
})
const isNamed = ({ name, newTagName }: z.output<typeof TagName>) => name !== undefined || newTagName !== undefined
const unnamed = { path: ['name'], message: 'is required' }
const nameIn = ({ name, newTagName }: z.output<typeof TagName>) => ({ name: (name ?? newTagName)! })
const NewTagName = bodyAdapter(
  TagName.refine(isNamed, unnamed).meta({ id: 'InternalRenameTagRequestDto' }),
  (body) => ({ body: nameIn(body) }),
)
const TagIdAndName = bodyAdapter(TagName.extend({ tagId: id }).refine(isNamed, unnamed), ({ tagId, ...body }) => ({
  params: { tagId },
  body: nameIn(body),
}))

/** Error format of all routes of the caller's own tokens. */
const badRequests = { ...text, notFoundIs: 400 } as const

export const internalAliases = aliasGroups<OpenRouteCall>([
  alias('GET', '/api/devices', deviceRoutes, 'list'),
  alias('GET', '/api/devices/summary', deviceRoutes, 'summary'),
  alias('POST', '/api/devices/search', deviceRoutes, 'search', {
    ...DeviceSearch,
    handler: (call, { devices, body }: { devices: DeviceList; body: DeviceSearchRequestDto }) =>
      searchPresented(call, devices, body),
  }),
  alias('GET', '/api/devices/:deviceId', deviceRoutes, 'get'),
  alias('DELETE', '/api/devices/:deviceId', deviceRoutes, 'delete'),
  alias('PATCH', '/api/devices/:deviceId/alias', deviceRoutes, 'setAlias', { body: DeviceAlias }),
  alias('POST', '/api/devices/delete-many', deviceRoutes, 'deleteMany'),

  alias('GET', '/api/desktop-preview/:deviceId/:targetProcessId', desktopPreviewRoutes, 'get'),

  alias('POST', '/api/device-file-system/contents', deviceFileSystemRoutes, 'contents', text),
  alias('POST', '/api/device-file-system/path-segments', deviceFileSystemRoutes, 'pathSegments', text),
  alias('POST', '/api/device-file-system/root-drives', deviceFileSystemRoutes, 'rootDrives', text),
  alias('POST', '/api/device-file-system/subdirectories', deviceFileSystemRoutes, 'subdirectories', text),
  alias('POST', '/api/device-file-system/validate-path/:deviceId', deviceFileSystemRoutes, 'validatePath', {
    ...text,
    body: repeating(validatePath.body),
  }),
  alias('POST', '/api/device-file-system/create-directory/:deviceId', deviceFileSystemRoutes, 'createDirectory', {
    ...text,
    body: repeating(createDirectory.body),
  }),
  alias('POST', '/api/device-file-system/upload/:deviceId', deviceFileSystemRoutes, 'upload', text),
  alias('GET', '/api/device-file-system/download/:deviceId', deviceFileSystemRoutes, 'download', text),
  alias('POST', '/api/device-file-system/download-archive/:deviceId', deviceFileSystemRoutes, 'downloadArchive', text),
  alias('DELETE', '/api/device-file-system/delete-path/:deviceId', deviceFileSystemRoutes, 'deletePath', {
    ...text,
    body: repeating(deletePath.body),
  }),
  alias('GET', '/api/device-file-system/logs/:deviceId', deviceFileSystemRoutes, 'logs', text),
  alias('GET', '/api/device-file-system/logs/:deviceId/contents', deviceFileSystemRoutes, 'logContents', text),

  alias('POST', '/api/device-tags', deviceTagRoutes, 'add', text),
  alias('DELETE', '/api/device-tags/:deviceId/:tagId', deviceTagRoutes, 'remove', text),

  alias('GET', '/api/effective-user-preferences', effectiveUserPreferencesRoutes, 'get'),

  alias('POST', '/api/installer-keys', installerKeyRoutes, 'create'),
  alias('GET', '/api/installer-keys', installerKeyRoutes, 'list'),
  alias('GET', '/api/installer-keys/usages/:keyId', installerKeyRoutes, 'usages'),
  alias('PUT', '/api/installer-keys/rename', installerKeyRoutes, 'rename', { body: KeyName }),
  alias('DELETE', '/api/installer-keys/:id', installerKeyRoutes, 'delete'),

  alias('POST', '/api/invites', inviteRoutes, 'create', { status: 200 }),
  alias('GET', '/api/invites', inviteRoutes, 'list'),
  alias('DELETE', '/api/invites/:inviteId', inviteRoutes, 'delete'),

  alias('POST', '/api/personal-access-tokens', personalAccessTokenRoutes, 'create', { status: 200, ...badRequests }),
  alias('GET', '/api/personal-access-tokens', personalAccessTokenRoutes, 'list', badRequests),
  alias('PUT', '/api/personal-access-tokens/:id', personalAccessTokenRoutes, 'update', badRequests),
  alias('DELETE', '/api/personal-access-tokens/:id', personalAccessTokenRoutes, 'delete', {
    status: 200,
    ...badRequests,
  }),

  alias('GET', '/api/public-server-settings', publicServerSettingsRoutes, 'get'),

  alias('GET', '/api/server-alert', serverAlertRoutes, 'get'),
  alias('POST', '/api/server-alert', serverAlertRoutes, 'set'),

  alias('GET', '/api/server-logs/get-dashboard-url', serverLogRoutes, 'getDashboardUrl'),

  alias('GET', '/api/server-stats', serverStatsRoutes, 'get', text),

  alias('GET', '/api/tags', tagRoutes, 'list', { response: AllTags }),
  alias('POST', '/api/tags', tagRoutes, 'create', { status: 200, response: OneTag }),
  alias('PUT', '/api/tags/:tagId', tagRoutes, 'rename', { body: NewTagName, response: OneTag }),
  alias('PUT', '/api/tags', tagRoutes, 'rename', { body: TagIdAndName, response: OneTag, unlisted: true }),
  alias('DELETE', '/api/tags/:tagId', tagRoutes, 'delete'),

  alias('GET', '/api/tenant-settings', tenantSettingsRoutes, 'getAll'),
  alias('POST', '/api/tenant-settings', tenantSettingsRoutes, 'set'),
  alias('PUT', '/api/tenant-settings', tenantSettingsRoutes, 'replaceAll'),
  alias('GET', '/api/tenant-settings/:name', tenantSettingsRoutes, 'get'),
  alias('DELETE', '/api/tenant-settings/:name', tenantSettingsRoutes, 'delete'),

  alias('POST', '/api/test-email', testEmailRoutes, 'send', { failures: 'clientText' }),

  alias('GET', '/api/user-preferences', userPreferencesRoutes, 'getAll'),
  alias('POST', '/api/user-preferences', userPreferencesRoutes, 'set'),
  alias('PUT', '/api/user-preferences', userPreferencesRoutes, 'replaceAll'),
  alias('GET', '/api/user-preferences/:name', userPreferencesRoutes, 'get'),

  alias('GET', '/api/user-server-settings/file-upload-max-size', userServerSettingRoutes, 'fileUploadMaxSize'),
  alias('GET', '/api/user-server-settings/decommission-status', userServerSettingRoutes, 'decommissionStatus'),

  alias('POST', '/api/user-storage', userStorageRoutes, 'set'),
  alias('GET', '/api/user-storage/:key', userStorageRoutes, 'get'),
  alias('DELETE', '/api/user-storage/:key', userStorageRoutes, 'delete'),

  alias('POST', '/api/users', userRoutes, 'create', { failures: 'messages', ruledMember: 'password' }),
  alias('GET', '/api/users', userRoutes, 'list'),
  alias('DELETE', '/api/users/:userId', userRoutes, 'delete'),
  alias('POST', '/api/users/:userId/reset-password', userRoutes, 'resetPassword'),

  alias('POST', '/api/users/:userId/personal-access-tokens', userPersonalAccessTokenRoutes, 'create', { status: 200 }),
  alias('GET', '/api/users/:userId/personal-access-tokens', userPersonalAccessTokenRoutes, 'list'),
  alias('PUT', '/api/users/:userId/personal-access-tokens/:tokenId', userPersonalAccessTokenRoutes, 'update'),
  alias('DELETE', '/api/users/:userId/personal-access-tokens/:tokenId', userPersonalAccessTokenRoutes, 'delete'),

  alias('GET', '/api/version/agent', versionRoutes, 'agent'),
  alias('GET', '/api/version/server', versionRoutes, 'server'),
  alias('GET', '/api/version/release-notes', versionRoutes, 'releaseNotes'),
])

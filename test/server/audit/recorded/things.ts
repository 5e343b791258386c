import type { ConsentPolicyBody } from '../../../../shared/api/appliance-consent.ts'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { enroll } from '../../../support/agent.ts'
import { connectViewer } from '../../../support/hub-client.ts'
import { callerOf, startSession } from '../../../support/session.ts'
import { until } from '../../../support/until.ts'
import { newName, target, type Acts, type Expected, type Scene } from './scene.ts'

const newToken = async ({ owner: { personalAccessTokens, tenantId } }: Scene) => {
  const name = newName()
  const { personalAccessToken } = await personalAccessTokens.create({ tenantId, body: { name } })
  return { name, tenantId, params: { id: personalAccessToken.id } }
}

const newKey = async ({ owner: { installerKeys, tenantId } }: Scene) => {
  const friendlyName = newName()
  const { id: keyId } = await installerKeys.create({ body: { tenantId, keyType: 'Persistent', friendlyName } })
  return { friendlyName, tenantId, params: { keyId } }
}

const newTenant = async ({ owner: { tenants } }: Scene) => {
  const name = newName()
  return { name, params: { tenantId: (await tenants.create({ body: { name } })).tenantId } }
}

/** Opens a session, sends bytes both ways, and ends it. */
async function visit(scene: Scene): Promise<Expected> {
  const member = await scene.server.signIn()
  const { ticket, viewerEnd, deviceEnd } = await startSession(await callerOf(member), scene.agent)
  viewerEnd.socket.send(Buffer.from('hello'))
  await until(() => deviceEnd.messages.length > 0)
  viewerEnd.socket.close()
  await deviceEnd.closed
  const { sessionId } = ticket
  const ended = "SELECT 1 FROM audit_events WHERE kind = 'session.ended' AND details ->> 'sessionId' = ?"
  await until(async () => (await scene.server.rows(ended, sessionId)).length > 0)
  return { deviceId: scene.agent.id, details: { session: 'remote-control', sessionId } }
}

async function tagged({ owner, agent }: Scene) {
  const { tenantId } = owner
  const name = newName()
  const { id: tagId } = await owner.tags.create({ tenantId, body: { name } })
  await owner.deviceTags.add({ tenantId, body: { deviceId: agent.id, tagId } })
  return { params: { deviceId: agent.id, tagId }, row: { ...target('tag', name), deviceId: agent.id } }
}

const address = ({ files, owner }: Scene, operation: string, query: Record<string, string> = {}) =>
  `/api/v1/device-file-system/${operation}/${files.id}?${new URLSearchParams({ tenantId: owner.tenantId, ...query })}`

const file = ({ files }: Scene, name: string): Expected => ({ ...target('file', name), deviceId: files.id })

const command = (kind: 'restart' | 'shutdown', changeType: 1 | 2) => async (scene: Scene) => {
  const viewer = await connectViewer(scene.owner)
  await viewer.SendPowerStateChange2({ deviceId: scene.agent.id, changeType })
  return { deviceId: scene.agent.id, details: { command: kind } }
}

/** Acts of people on tokens, settings, devices and files. */
const consentPolicy: ConsentPolicyBody = {
  name: 'Desk',
  customerId: null,
  tagId: null,
  exceptPermission: null,
  control: 'always',
  viewing: 'never',
  terminal: 'never',
  files: 'never',
  allowsSilence: false,
}

export const actsOfThings: Acts = [
  ['credential.token-created', 'a token', async (scene) => target('token', (await newToken(scene)).name)],
  [
    'credential.token-renamed',
    'a token',
    async (scene) => {
      const { name: _, ...token } = await newToken(scene)
      await scene.owner.personalAccessTokens.update({ ...token, body: { name: 'weekly' } })
      return target('token', 'weekly')
    },
  ],
  [
    'credential.token-deleted',
    'a token',
    async (scene) => {
      const { name, ...token } = await newToken(scene)
      await scene.owner.personalAccessTokens.delete(token)
      return target('token', name)
    },
  ],
  [
    'credential.logon-token-created',
    'a link to a device',
    async ({ owner, agent }) => {
      const body = { tenantId: owner.tenantId, deviceId: agent.id, userId: owner.user.id }
      await owner.logonTokens.createForUser({ body })
      return { ...target('token', owner.user.email), deviceId: agent.id }
    },
  ],
  ['credential.installer-key-created', 'a key', async (scene) => target('key', (await newKey(scene)).friendlyName)],
  [
    'credential.installer-key-renamed',
    'a key',
    async (scene) => {
      const { friendlyName: _, ...key } = await newKey(scene)
      await scene.owner.installerKeys.rename({ ...key, body: { friendlyName: 'site' } })
      return target('key', 'site')
    },
  ],
  [
    'credential.installer-key-deleted',
    'a key',
    async (scene) => {
      const { friendlyName, ...key } = await newKey(scene)
      await scene.owner.installerKeys.delete(key)
      return target('key', friendlyName)
    },
  ],
  ['settings.tenant-created', 'a tenant', async (scene) => target('tenant', (await newTenant(scene)).name)],
  [
    'settings.tenant-renamed',
    'a tenant',
    async (scene) => {
      const { params: tenant } = await newTenant(scene)
      const name = newName()
      await scene.owner.tenants.update({ params: tenant, body: { name } })
      return target('tenant', name)
    },
  ],
  [
    'settings.tenant-deleted',
    'a tenant',
    async (scene) => {
      const { name, params: tenant } = await newTenant(scene)
      await scene.owner.tenants.delete({ params: tenant })
      return target('tenant', name)
    },
  ],
  [
    'settings.tenant-changed',
    'a setting',
    async ({ owner: { tenantSettings, tenantId } }) => {
      await tenantSettings.set({ tenantId, body: { name: 'instance-id', value: 'north' } })
      return { targetKind: 'setting', targetName: 'instance-id', details: { value: 'north' } }
    },
  ],
  [
    'settings.server-alert-changed',
    'a notice',
    async ({ owner }) => {
      await owner.serverAlert.set({ body: { message: 'Back at 9', isEnabled: true } })
      return {}
    },
  ],
  [
    'settings.release-key-rotated',
    'a rotation',
    async ({ owner }) => {
      await owner.applianceAgentReleases.rotateKey({})
      return {}
    },
  ],
  [
    'device.registered',
    'a device',
    async ({ owner }) => ({
      deviceId: (await enroll(owner)).id,
      credentialKind: 'InstallerKey',
      details: { isNew: true },
    }),
  ],
  [
    'device.alias-changed',
    'an alias',
    async ({ owner, agent }) => {
      const params = { deviceId: agent.id }
      const after = newName()
      await owner.devices.setAlias({ params, body: { alias: after } })
      return { deviceId: agent.id, details: { before: '', after } }
    },
  ],
  ['device.tagged', 'a tag', async (scene) => (await tagged(scene)).row],
  [
    'device.untagged',
    'a tag',
    async (scene) => {
      const { params, row } = await tagged(scene)
      await scene.owner.deviceTags.remove({ tenantId: scene.owner.tenantId, params })
      return row
    },
  ],
  [
    'batch.started',
    'a command',
    async ({ owner }) => {
      const { id } = await owner.applianceBatches.start({
        body: { kind: 'run-command', deviceIds: [(await enroll(owner)).id], command: 'hostname' },
      })
      return { details: { batch: 'run-command', batchId: id, devices: 1 } }
    },
  ],
  [
    'device.deleted',
    'a device',
    async ({ owner }) => {
      const { id: deviceId } = await enroll(owner)
      await owner.devices.delete({ params: { deviceId } })
      return { deviceId }
    },
  ],
  ['device.power', 'a restart', command('restart', 1)],
  ['device.power', 'a shutdown', command('shutdown', 2)],
  [
    'device.power',
    'a restart of a device that is away',
    async ({ owner }) => {
      const { id: deviceId } = await enroll(owner)
      await (await connectViewer(owner)).SendPowerStateChange2({ deviceId, changeType: 1 })
      return { deviceId, outcome: 'failure', details: { command: 'restart' } }
    },
  ],
  [
    'device.uninstalled',
    'a reason',
    async ({ owner, agent }) => {
      await (await connectViewer(owner)).UninstallAgent2({ deviceId: agent.id, reason: 'sold' })
      return { deviceId: agent.id, details: { reason: 'sold' } }
    },
  ],
  [
    'device.agent-updated',
    'an update',
    async ({ owner, agent }) => {
      await (await connectViewer(owner)).SendAgentUpdateTrigger2({ deviceId: agent.id })
      return { deviceId: agent.id }
    },
  ],
  ['session.began', 'remote control', visit],
  [
    'session.ended',
    'remote control, with its bytes and reason',
    async (scene) => {
      const { details, ...row } = await visit(scene)
      const end = { seconds: 0, bytesToDevice: 5, bytesFromDevice: 0, reason: expect.any(String) as string }
      return { ...row, details: { ...details, ...end } }
    },
  ],
  [
    'file.downloaded',
    'a file by its name',
    async (scene) => {
      await (await scene.owner.fetch(address(scene, 'download', { filePath: '/tmp/report.txt' }))).text()
      return { ...file(scene, '/tmp/report.txt'), details: { bytes: 7 } }
    },
  ],
  [
    'file.uploaded',
    'a file by its name',
    async (scene) => {
      const form = new FormData()
      form.append('targetSaveDirectory', '/tmp')
      form.append('file', new Blob(['content']), 'notes.txt')
      await scene.owner.fetch(address(scene, 'upload'), { method: 'POST', body: form })
      return { ...file(scene, 'notes.txt'), details: { folder: '/tmp', bytes: 7, reason: null } }
    },
  ],
  [
    'file.folder-created',
    'a folder',
    async (scene) => {
      await scene.owner.deviceFileSystem.createDirectory({
        tenantId: scene.owner.tenantId,
        params: { deviceId: scene.files.id },
        body: { parentPath: '/tmp', directoryName: 'new' },
      })
      return file(scene, '/tmp new')
    },
  ],
  ...(['copy', 'move'] as const).map((kind): Acts[number] => [
    kind === 'copy' ? 'file.copied' : 'file.moved',
    'each entry, with its new place',
    async (scene) => {
      const items = [{ path: '/tmp/a.txt', name: 'b.txt' }]
      const response = await scene.owner.fetch(
        `/api/appliance/v1/devices/${scene.files.id}/files/operations/${randomUUID()}`,
        {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ kind, targetDirectory: '/srv', items }),
        },
      )
      await response.text()
      return { ...file(scene, '/tmp/a.txt'), details: { to: '/srv b.txt', reason: null } }
    },
  ]),
  [
    'file.mode-changed',
    'a file, with its bits in octal digits',
    async (scene) => {
      await scene.owner.applianceDeviceFiles.setMode({
        params: { deviceId: scene.files.id },
        body: { path: '/tmp/run.sh', mode: 0o750 },
      })
      return { ...file(scene, '/tmp/run.sh'), details: { mode: '750', reason: null } }
    },
  ],
  [
    'file.deleted',
    'a file',
    async (scene) => {
      await scene.owner.deviceFileSystem.deletePath({
        tenantId: scene.owner.tenantId,
        params: { deviceId: scene.files.id },
        body: { filePath: '/tmp/old.txt' },
      })
      return file(scene, '/tmp/old.txt')
    },
  ],
  [
    'export.devices',
    'an export',
    async ({ owner }) => {
      await (await owner.fetch('/api/appliance/v1/devices/export?query=is:online&columns=name,status')).text()
      return { details: { filters: 'is:online', columns: 'name,status' } }
    },
  ],
  [
    'export.diagnostics',
    'an export',
    async ({ owner }) => {
      await owner.applianceHealth.diagnostics({})
      return {}
    },
  ],
  [
    'export.audit-log',
    'an export',
    async ({ owner }) => {
      await (await owner.fetch('/api/appliance/v1/audit-log/server/export?format=csv')).text()
      return { details: { format: 'csv', filters: '' } }
    },
  ],
  [
    'settings.consent-policy-created',
    'of a new policy',
    async ({ owner }) => {
      await owner.applianceConsent.create({ body: consentPolicy })
      return { targetKind: 'setting', targetName: 'Desk' }
    },
  ],
  [
    'settings.consent-policy-changed',
    'of a policy',
    async ({ owner }) => {
      const { id } = await owner.applianceConsent.create({ body: consentPolicy })
      await owner.applianceConsent.update({ params: { policyId: id }, body: { ...consentPolicy, files: 'always' } })
      return { targetKind: 'setting', targetName: 'Desk' }
    },
  ],
  [
    'settings.consent-policy-deleted',
    'of a policy',
    async ({ owner }) => {
      const { id } = await owner.applianceConsent.create({ body: consentPolicy })
      await owner.applianceConsent.delete({ params: { policyId: id } })
      return { targetKind: 'setting', targetName: 'Desk' }
    },
  ],
  [
    'recording.policies-changed',
    'of all policies',
    async ({ owner }) => {
      await owner.applianceRecordings.replacePolicies({ body: { items: [] } })
      return {}
    },
  ],
]

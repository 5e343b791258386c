import { beforeAll, expect, test } from 'vitest'
import { makeTicket } from '../../tools/simulate/relay-ticket.ts'
import type { DevicePermission } from '../../shared/access.ts'
import { defaultCaptureSettings } from '../../shared/remote-control/viewer.ts'
import { atTenant } from '../support/grants.ts'
import { some } from '../support/night.ts'
import { addTenantAccount } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { programCaller, requestTold, startSession } from '../support/session.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let agent: RecordingAgent
beforeAll(async () => {
  agent = await recordingAgent(owner, { isShared: true })
})

const flags = {
  canInteract: 'device.remote-control.interact',
  canReadClipboard: 'device.clipboard.read',
  canWriteClipboard: 'device.clipboard.write',
  canBlockInput: 'device.remote-control.block-input',
  canUseSecureDesktop: 'device.remote-control.elevated-desktop',
  canHear: 'appliance.device.sound',
} as const
type Flag = keyof typeof flags
const names = Object.keys(flags) as Flag[]

/** Creates a program that may start a session with the given permissions. */
async function programWith(permissions: readonly DevicePermission[]) {
  const program = await addTenantAccount(
    owner,
    ['device.remote-control.connect' as const, ...permissions].map(atTenant),
  )
  const { tenantId } = owner
  const query = { principalKind: 'ServiceAccount', principalId: program.id } as const
  return {
    caller: await programCaller(server, { 'x-api-key': program.key }),
    async lose(permission: DevicePermission) {
      const { items } = await owner.permissionAssignments.list({ tenantId, query })
      const { id } = items.find(({ permissionName }) => permissionName === permission)!
      await owner.permissionAssignments.delete({ tenantId, params: { assignmentId: id } })
    },
    gain: (permission: DevicePermission) =>
      owner.permissionAssignments.create({ tenantId, body: { ...query, ...atTenant(permission) } }),
  }
}

test.each(names)('%s is sent to the device only for a caller who holds its permission', async (flag) => {
  const { caller } = await programWith([flags[flag]])
  await startSession(caller, agent)
  expect(requestTold(agent).policy).toEqual(Object.fromEntries(names.map((name) => [name, name === flag])))
})

test('the rights that a viewer claims are replaced', async () => {
  const { caller } = await programWith([])
  await startSession(caller, agent)
  expect(requestTold(agent).policy).toEqual(Object.fromEntries(names.map((name) => [name, false])))
})

test('a viewer that requests fewer rights gets only those, and never more than it has', async () => {
  const { caller } = await programWith([flags.canInteract, flags.canReadClipboard])
  const ticket = makeTicket(agent.url)
  await caller.viewer.RequestRemoteControlSession2({
    sessionId: ticket.sessionId,
    websocketUri: ticket.responder,
    deviceId: agent.id,
    targetSystemSession: 1,
    targetProcessId: 4711,
    policy: {
      canInteract: false,
      canReadClipboard: true,
      canWriteClipboard: true,
      canBlockInput: true,
      canUseSecureDesktop: true,
      canHear: true,
    },
  })
  expect(requestTold(agent).policy).toEqual({
    canInteract: false,
    canReadClipboard: true,
    canWriteClipboard: false,
    canBlockInput: false,
    canUseSecureDesktop: false,
    canHear: false,
  })
})

test('settings of a request that are none are rejected, and a device gets no unknown members of them', async () => {
  const { caller } = await programWith([])
  const request = (capture: object) => {
    const { sessionId, responder: websocketUri } = makeTicket(agent.url)
    return caller.viewer.RequestRemoteControlSession2({
      sessionId,
      websocketUri,
      deviceId: agent.id,
      targetProcessId: 4711,
      capture: { ...defaultCaptureSettings, ...capture },
    })
  }
  const before = agent.told.length
  await expect(request({ manualQuality: '80' })).rejects.toThrow('RequestRemoteControlSession2')
  expect(agent.told).toHaveLength(before)
  expect(await request({ command: 'ls' })).toMatchObject({ isSuccess: true })
  expect(requestTold(agent).capture).toEqual(defaultCaptureSettings)
})

test.each(some(names, 2))(
  'a session ends on both sides when its viewer loses %s; the next session lacks it',
  async (flag) => {
    const { caller, lose } = await programWith(Object.values(flags))
    const bystander = await startSession((await programWith(Object.values(flags))).caller, agent)
    const { viewerEnd, deviceEnd } = await startSession(caller, agent)
    await lose(flags[flag])
    await Promise.all([viewerEnd.closed, deviceEnd.closed])
    await startSession(caller, agent)
    expect(requestTold(agent).policy).toEqual(Object.fromEntries(names.map((name) => [name, name !== flag])))
    bystander.viewerEnd.socket.send('still here')
    await until(() => bystander.deviceEnd.messages.length === 1)
  },
)

test('a running session has the rights of its start when its viewer gets more', async () => {
  const { caller, gain } = await programWith([])
  const { viewerEnd, deviceEnd } = await startSession(caller, agent)
  await gain('device.remote-control.interact')
  viewerEnd.socket.send('still here')
  await until(() => deviceEnd.messages.length === 1)
})

test('a VNC session ends with its own right, not with those of remote control', async () => {
  const { caller, lose } = await programWith(['device.vnc-relay.connect', 'device.remote-control.interact'])
  const { viewerEnd, deviceEnd } = await startSession(caller, agent, 'vnc')
  expect(requestTold(agent, 'vnc')).not.toHaveProperty('policy')
  await lose('device.remote-control.interact')
  await lose('device.remote-control.connect')
  viewerEnd.socket.send('still here')
  await until(() => deviceEnd.messages.length === 1)
  await lose('device.vnc-relay.connect')
  await Promise.all([viewerEnd.closed, deviceEnd.closed])
})

import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConsentPolicyBody } from '../../../shared/api/appliance-consent.ts'
import { askConsentType, clearConsentType } from '../../../shared/dtos/consent.ts'
import type { DtoWrapper } from '../../../shared/dtos/device-commands.ts'
import { failureOf, success, successOf } from '../../../shared/dtos/hub-result.ts'
import type { z } from 'zod'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { makeTicket } from '../../../tools/simulate/relay-ticket.ts'
import { recordingAgent } from '../../support/recording-agent.ts'
import { callerOf, requestTold } from '../../support/session.ts'
import { connectViewer } from '../../support/hub-client.ts'
import { openToAll, ownerForFile, serverForFile, useTestServer, Visitor, type Member } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const server = serverForFile({ settings: openToAll })
// The first user, who administers the server, takes no part.
ownerForFile(server)

const policyBody: ConsentPolicyBody = {
  name: 'Ask at the desk',
  customerId: null,
  tagId: null,
  exceptPermission: null,
  control: 'never',
  viewing: 'never',
  terminal: 'always',
  files: 'always',
  allowsSilence: false,
}

type Message = z.output<typeof DtoWrapper>
const payloadOf = ({ payload }: Message) => JSON.parse(Buffer.from(payload, 'base64').toString()) as object

/** Device whose agent opens terminals; one that enforces rules answers questions as `person` does. */
async function startDevice(owner: Member, { enforces }: { enforces: boolean }) {
  const agent = await enroll(owner)
  const device = {
    id: agent.id,
    asked: [] as object[],
    opened: [] as string[],
    cleared: 0,
    person: (): Promise<ReturnType<typeof failureOf>> => Promise.resolve(successOf(null) as never),
    answers: { standing: [], alwaysAsk: [] } as object,
  }
  const connection = await agent.connect(owner.url, {
    CreateTerminalSession(id) {
      device.opened.push(id)
      return { ...success, isPty: true, shell: '/bin/sh' }
    },
    GetRootDrives: () => successOf({ drives: [] }),
    ReceiveDto(message) {
      if (message.dtoType === clearConsentType) {
        device.cleared++
        return null
      }
      if (message.dtoType !== askConsentType || !enforces) {
        return null
      }
      device.asked.push(payloadOf(message))
      return device.person()
    },
  })
  onTestFinished(() => connection.connection.stop())
  const report = async (answers: { standing: []; alwaysAsk: string[] }) => {
    await connection.SendConsentAnswers(answers)
  }
  if (enforces) {
    await report({ standing: [], alwaysAsk: [] })
  }
  return { device, connection, report }
}

const makePolicy = (owner: Member, changes: Partial<ConsentPolicyBody> = {}) =>
  owner.applianceConsent.create({ tenantId: owner.tenantId, body: { ...policyBody, ...changes } })

const drivesOf = (by: Member, deviceId: string) =>
  by.deviceFileSystem.rootDrives({ tenantId: by.tenantId, body: { deviceId } })

describe('a terminal', () => {
  test('opens only after the person has allowed it, and a refusal names the policy', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const { device } = await startDevice(owner, { enforces: true })
    const viewer = await connectViewer(owner)
    await makePolicy(owner)
    device.person = () => Promise.resolve(failureOf('The person at the device declined.'))
    const refused = await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId: randomUUID() })
    expect(refused).toMatchObject({
      isSuccess: false,
      reason: 'The person at the device declined. (Policy: “Ask at the desk”.)',
    })
    expect(device.opened).toEqual([])
    expect(device.asked).toMatchObject([
      {
        subject: 'terminal',
        rule: { mode: 'always', allowsSilence: false },
        grantFor: viewer.connection.connectionId,
        visitorId: owner.user.id,
      },
    ])
    device.person = () => Promise.resolve(successOf(null) as never)
    const terminalId = randomUUID()
    expect(await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId })).toMatchObject({ isSuccess: true })
    expect(device.opened).toEqual([terminalId])
    const { items } = await owner.applianceAuditLog.listAll({ query: { kind: 'session.consent' } })
    expect(items.map(({ outcome, details }) => [outcome, details])).toEqual([
      ['success', { subject: 'terminal', policies: '“Ask at the desk”', reason: null }],
      ['failure', { subject: 'terminal', policies: '“Ask at the desk”', reason: 'The person at the device declined.' }],
    ])
  })

  test('is asked for again when it is opened again under the id of a shell that has ended unnoticed', async () => {
    const owner = await server.newcomer()
    const { device } = await startDevice(owner, { enforces: true })
    const viewer = await connectViewer(owner)
    await makePolicy(owner)
    const terminalId = randomUUID()
    expect(await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId })).toMatchObject({ isSuccess: true })
    device.person = () => Promise.resolve(failureOf('The person at the device declined.'))
    expect(await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId })).toMatchObject({ isSuccess: false })
    expect(device.opened).toEqual([terminalId])
    expect(device.asked).toHaveLength(2)
  })

  test('of a restricted token is asked for under its own id, and names its account for the pause after a decline', async () => {
    const owner = await server.newcomer()
    const { device } = await startDevice(owner, { enforces: true })
    const scopes = [{ permissionName: 'device.terminal.use', scopeKind: 'Tenant' } as const]
    const body = { name: 'limited', permissionMode: 'Restricted', scopes } as const
    const { tenantId } = owner
    const { personalAccessToken, plainTextToken } = await owner.personalAccessTokens.create({ tenantId, body })
    const viewer = await connectViewer(new Visitor(server.url), { headers: { 'x-personal-token': plainTextToken } })
    await viewer.CreateTerminalSession2({ deviceId: device.id, terminalId: randomUUID() })
    expect(device.asked).toMatchObject([{ visitorId: personalAccessToken.id, visitorAccountId: owner.user.id }])
  })

  test('is refused at an agent that cannot ask, also to input that opens a shell there', async () => {
    const owner = await server.newcomer()
    const { device } = await startDevice(owner, { enforces: false })
    const viewer = await connectViewer(owner)
    await makePolicy(owner)
    const refusal = {
      isSuccess: false,
      reason: expect.stringContaining(
        '“Ask at the desk” asks the person at this device first, and its agent cannot ask.',
      ),
    }
    const terminalId = randomUUID()
    const [created, typed] = await Promise.all([
      viewer.CreateTerminalSession2({ deviceId: device.id, terminalId }),
      viewer.SendTerminalInput2({ deviceId: device.id, input: { terminalId, input: 'id' } }),
    ])
    expect(created).toMatchObject(refusal)
    expect(typed).toMatchObject(refusal)
    expect(device.opened).toEqual([])
  })
})

describe('files', () => {
  test('are asked for once for a visit, and again after the person has changed an answer', async () => {
    const owner = await server.newcomer()
    const { device, report } = await startDevice(owner, { enforces: true })
    await makePolicy(owner)
    device.person = () => Promise.resolve(failureOf('The person at the device declined.'))
    await expect(drivesOf(owner, device.id)).rejects.toMatchObject({
      status: 403,
      problem: { code: 'consent-refused', detail: expect.stringContaining('declined') },
    })
    device.person = () => Promise.resolve(successOf(null) as never)
    await Promise.all([drivesOf(owner, device.id), drivesOf(owner, device.id)])
    await drivesOf(owner, device.id)
    expect(device.asked).toHaveLength(2)
    await report({ standing: [], alwaysAsk: ['ada'] })
    await drivesOf(owner, device.id)
    expect(device.asked).toHaveLength(3)
  })

  test('are asked for again once a new policy applies to a visit that runs', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const { device } = await startDevice(owner, { enforces: true })
    await drivesOf(owner, device.id)
    await drivesOf(owner, device.id)
    expect(device.asked).toMatchObject([{ rule: { mode: 'never' } }])
    await makePolicy(owner)
    device.person = () => Promise.resolve(failureOf('The person at the device declined.'))
    await expect(drivesOf(owner, device.id)).rejects.toMatchObject({ status: 403 })
    expect(device.asked.slice(1)).toMatchObject([{ rule: { mode: 'always' } }])
  })

  test('are asked for again after an hour, however much they are used', async () => {
    const clock = manualClock()
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const agent = await recordingAgent(owner, { clock })
    agent.answers.GetRootDrives = () => successOf({ drives: [] })
    await agent.SendConsentAnswers({ standing: [], alwaysAsk: [] })
    await makePolicy(owner)
    const questions = () => agent.told.filter(([method]) => method === 'ReceiveDto').length
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await drivesOf(owner, agent.id)
      clock.advance(10 * 60_000)
    }
    expect(questions()).toBe(1)
    await drivesOf(owner, agent.id)
    expect(questions()).toBe(2)
  })
})

describe('policies', () => {
  test('of a customer hold for its sites, of a tag for devices with it, and both together for devices with both', async () => {
    const owner = await server.newcomer()
    const { tenantId } = owner
    const { device } = await startDevice(owner, { enforces: true })
    const makeCustomer = (name: string) => owner.customers.create({ tenantId, body: { name } })
    const [contoso, berlin] = [await makeCustomer('Contoso'), await makeCustomer('Berlin')]
    await owner.applianceOrganization.setCustomer({
      tenantId,
      params: { customerId: berlin.id },
      body: { parentId: contoso.id, contacts: [] },
    })
    const tag = await owner.tags.create({ tenantId, body: { name: 'lab' } })
    await makePolicy(owner, { name: 'Contoso', customerId: contoso.id })
    await makePolicy(owner, { name: 'Lab', tagId: tag.id })
    await makePolicy(owner, { name: 'Lab of Contoso', tagId: tag.id, customerId: contoso.id })
    const names = async () =>
      (await owner.applianceConsent.device({ params: { deviceId: device.id } })).rules.terminal.policies
    expect(await names()).toEqual([])
    await owner.customers.assignDevices({
      tenantId,
      params: { customerId: berlin.id },
      body: { deviceIds: [device.id] },
    })
    expect(await names()).toEqual(['Contoso'])
    await owner.deviceTags.add({ tenantId, body: { deviceId: device.id, tagId: tag.id } })
    expect(await names()).toEqual(['Contoso', 'Lab', 'Lab of Contoso'])
  })

  test('of another organization are neither read nor changed, and name none of its customers (T41)', async () => {
    const owner = await server.newcomer()
    const stranger = await server.newcomer()
    const { id } = await makePolicy(owner)
    const params = { policyId: id }
    const foreign = { tenantId: stranger.tenantId, params }
    await expect(stranger.applianceConsent.update({ ...foreign, body: policyBody })).rejects.toMatchObject({
      status: 404,
    })
    await expect(stranger.applianceConsent.delete(foreign)).rejects.toMatchObject({ status: 404 })
    expect((await stranger.applianceConsent.list({ tenantId: stranger.tenantId })).items).toEqual([])
    const customer = await owner.customers.create({ tenantId: owner.tenantId, body: { name: 'Contoso' } })
    await expect(makePolicy(stranger, { customerId: customer.id })).rejects.toMatchObject({ status: 404 })
    await owner.applianceConsent.delete({ tenantId: owner.tenantId, params })
    expect((await owner.applianceConsent.list({ tenantId: owner.tenantId })).items).toEqual([])
  })

  test('survive the merge of their customer', async () => {
    const owner = await server.newcomer()
    const { tenantId } = owner
    const make = (name: string) => owner.customers.create({ tenantId, body: { name } })
    const [from, into] = [await make('Contoso Ltd'), await make('Contoso')]
    await makePolicy(owner, { customerId: from.id })
    await owner.applianceOrganization.mergeCustomer({
      tenantId,
      params: { customerId: from.id },
      body: { intoCustomerId: into.id },
    })
    expect((await owner.applianceConsent.list({ tenantId })).items).toMatchObject([{ customerId: into.id }])
  })

  test('of a tag survive its merge, and the audit log names those that are deleted with their tag or customer (T46)', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const { tenantId } = owner
    const makeTag = (name: string) => owner.tags.create({ tenantId, body: { name } })
    const [from, into] = [await makeTag('lab'), await makeTag('laboratory')]
    const customer = await owner.customers.create({ tenantId, body: { name: 'Contoso' } })
    await makePolicy(owner, { name: 'Lab', tagId: from.id })
    await makePolicy(owner, { name: 'Contoso', customerId: customer.id })
    await owner.applianceOrganization.mergeTag({
      tenantId,
      params: { tagId: from.id },
      body: { intoTagId: into.id },
    })
    const policies = async () => (await owner.applianceConsent.list({ tenantId })).items
    expect(await policies()).toMatchObject([{ name: 'Contoso' }, { name: 'Lab', tagId: into.id }])
    const recording = {
      customerId: null,
      tagId: into.id,
      mode: 'always',
      retentionDays: null,
      quotaMegabytes: null,
    } as const
    await owner.applianceRecordings.replacePolicies({ tenantId, body: { items: [recording] } })
    await owner.tags.delete({ tenantId, params: { tagId: into.id } })
    const changes = await owner.applianceAuditLog.listAll({ query: { kind: 'recording.policies-changed' } })
    expect(changes.items[0]?.details?.policies).toBe(`${into.id}: always, deleted with its tag`)
    await owner.customers.delete({ tenantId, params: { customerId: customer.id } })
    expect(await policies()).toEqual([])
    const query = { kind: 'settings.consent-policy-deleted' }
    const { items } = await owner.applianceAuditLog.listAll({ query })
    expect(new Set(items.map(({ targetName }) => targetName))).toEqual(new Set(['Contoso', 'Lab']))
  })
})

describe('a screen', () => {
  test('is controlled after an answer alone where the technician wants one, whatever a milder policy allows', async () => {
    const owner = await server.newcomer()
    const agent = await recordingAgent(owner)
    const caller = await callerOf(owner)
    await makePolicy(owner, { control: 'signed-in', allowsSilence: true })
    const request = async (requireConsent: boolean) => {
      const { sessionId, responder: websocketUri } = makeTicket(agent.url)
      const target = { deviceId: agent.id, targetSystemSession: 1, targetProcessId: 4711 }
      await caller.viewer.RequestRemoteControlSession2({ sessionId, websocketUri, ...target, requireConsent })
      return requestTold(agent).consent
    }
    expect(await request(false)).toEqual({ mode: 'signed-in', allowsSilence: true })
    expect(await request(true)).toEqual({ mode: 'always', allowsSilence: false })
  })

  test('is seen without a question only when all who are signed in have allowed that for longer', async () => {
    const owner = await server.newcomer()
    const agent = await recordingAgent(owner)
    await makePolicy(owner, { viewing: 'always' })
    const standingOf = (person: string) => ({
      person,
      subject: 'viewing' as const,
      visitorId: owner.user.id,
      visitorName: 'Owner',
      until: new Date(Date.now() + 60_000).toISOString(),
    })
    const isAsked = async (...people: string[]) => {
      await agent.SendConsentAnswers({ standing: people.map(standingOf), alwaysAsk: [] })
      return (await owner.applianceConsent.device({ params: { deviceId: agent.id } })).rules.viewing.asksNow
    }
    const signIn = (...currentUsers: string[]) =>
      agent.UpdateDeviceSigned(agent.agent.signed(agent.agent.report({ currentUsers })))
    await signIn('anna')
    expect([await isAsked(), await isAsked('anna')]).toEqual([true, false])
    await signIn('anna', 'bert')
    expect([await isAsked('anna'), await isAsked('anna', 'bert')]).toEqual([true, false])
    await signIn('bert')
    expect(await isAsked('anna')).toBe(true)
    const preview = `/api/v1/desktop-preview/${agent.id}/4711?tenantId=${owner.tenantId}`
    expect((await owner.fetch(preview)).status).toBe(403)
    expect(agent.told.map(([method]) => method)).not.toContain('RequestDesktopPreview')
    await signIn()
    expect(await isAsked('anna')).toBe(false)
  })
})

test('the owner sees the answers of the people at a device, and removes them', async () => {
  const owner = await server.newcomer()
  const { device, report } = await startDevice(owner, { enforces: true })
  await report({ standing: [], alwaysAsk: ['ada'] })
  const { answers, canAsk } = await owner.applianceConsent.device({ params: { deviceId: device.id } })
  expect({ answers, canAsk }).toEqual({ canAsk: true, answers: { standing: [], alwaysAsk: ['ada'] } })
  await owner.applianceConsent.clear({ tenantId: owner.tenantId, params: { deviceId: device.id } })
  await until(() => device.cleared === 1)
  const { items } = await owner.applianceAuditLog.list({ query: { kind: 'device.consent-cleared' } })
  expect(items).toHaveLength(1)
})

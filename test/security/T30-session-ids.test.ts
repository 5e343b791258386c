import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure, failureOf, success, terminalNotOpen } from '../../shared/dtos/hub-result.ts'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { addUser } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { ownerForFile, serverForFile, Visitor, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let other: Member
let agent: RecordingAgent
beforeAll(async () => {
  other = await addUser(server, owner, ['Device Superuser'])
  agent = await recordingAgent(owner, { isShared: true })
})
beforeEach(() => agent.reset())

const forbidden = failure('Forbidden.')
const timestamp = '2026-01-02T03:04:05Z'
const say = (viewer: Viewer, sessionId: string, message = 'hello') =>
  viewer.SendChatMessage2({ deviceId: agent.id, sessionId, targetProcessId: 4711, message, timestamp })
const close = (viewer: Viewer, sessionId: string) =>
  viewer.CloseChatSession2({ deviceId: agent.id, sessionId, targetProcessId: 4711 })
const reply = (sessionId: string, viewerConnectionId = '') =>
  agent.SendChatResponse({
    sessionId,
    desktopSessionProcessId: 4711,
    message: 'secret',
    timestamp,
    viewerConnectionId,
  })

describe('a chat belongs to the user who began it', () => {
  test('another user can neither write, read nor close, and the agent is not called', async () => {
    const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
    const sessionId = randomUUID()
    expect(await say(mine, sessionId)).toEqual(success)
    expect(await say(theirs, sessionId)).toEqual(forbidden)
    expect(await close(theirs, sessionId)).toEqual(forbidden)
    const positional = { deviceId: agent.id, sessionId, targetProcessId: 4711, message: 'x', timestamp }
    expect(await theirs.SendChatMessage(agent.id, positional)).toEqual(forbidden)
    expect(await theirs.CloseChatSession(agent.id, sessionId, 4711)).toEqual(forbidden)
    expect(agent.told).toHaveLength(1)
    expect(await reply(sessionId, theirs.connection.connectionId!)).toBe(true)
    expect([mine.chats.length, theirs.chats.length]).toEqual([1, 0])
    expect(mine.chats[0]!.viewerConnectionId).toBe(mine.connection.connectionId)
  })

  test('a restricted token of the same user cannot either', async () => {
    const mine = await connectViewer(owner)
    const { tenantId } = owner
    const { plainTextToken } = await owner.personalAccessTokens.create({
      tenantId,
      body: { name: 'limited', scopes: [{ permissionName: 'device.chat.send', scopeKind: 'Tenant' }] },
    })
    const token = await connectViewer(new Visitor(server.url), { headers: { 'x-personal-token': plainTextToken } })
    const sessionId = randomUUID()
    await say(mine, sessionId)
    expect(await say(token, sessionId)).toEqual(forbidden)
    expect(await close(token, sessionId)).toEqual(forbidden)
  })

  test('of two users who start a chat with the same id at once, one gets it', async () => {
    const viewers = [await connectViewer(owner), await connectViewer(other)]
    for (let round = 0; round < 10; round++) {
      const sessionId = randomUUID()
      const answers = await Promise.all(viewers.map((viewer) => say(viewer, sessionId)))
      expect(answers).toEqual(expect.arrayContaining([success, forbidden]))
      const before = viewers.map(({ chats }) => chats.length)
      expect(await reply(sessionId)).toBe(true)
      const owned = answers.findIndex(({ isSuccess }) => isSuccess)
      expect(viewers.map(({ chats }, index) => chats.length - before[index]!)).toEqual(owned === 0 ? [1, 0] : [0, 1])
      await close(viewers[owned]!, sessionId)
    }
  })

  test('continues in a new connection, and with a new sign-in, of the same user', async () => {
    const person = await addUser(server, owner, ['Device Superuser'])
    const sessionId = randomUUID()
    const first = await connectViewer(person)
    expect(await say(first, sessionId)).toEqual(success)
    const again = await server.signIn({ email: person.user.email! })
    const second = await connectViewer(again)
    expect(await say(second, sessionId, 'still me')).toEqual(success)
    await person.auth.logout({})
    await first.closed
    expect(await reply(sessionId)).toBe(true)
    expect(second.chats.map(({ message }) => message)).toEqual(['secret'])
  })

  test('belongs to the same user after a restart of the server', async () => {
    const sessionId = randomUUID()
    expect(await say(await connectViewer(owner), sessionId)).toEqual(success)
    await server.restart()
    agent = await recordingAgent(owner, { isShared: true, agent: agent.agent })
    const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
    expect(await say(theirs, sessionId)).toEqual(forbidden)
    expect(await close(theirs, sessionId)).toEqual(forbidden)
    expect(await reply(sessionId)).toBe(false)
    expect(agent.told).toEqual([])
    expect(await say(mine, sessionId, 'still me')).toEqual(success)
    expect(await reply(sessionId)).toBe(true)
    expect([mine.chats.length, theirs.chats.length]).toEqual([1, 0])
    expect(await close(mine, sessionId)).toEqual(success)
    expect(await say(theirs, sessionId)).toEqual(success)
  })

  test('that was closed accepts no more answers', async () => {
    const mine = await connectViewer(owner)
    const sessionId = randomUUID()
    await say(mine, sessionId)
    expect(await close(mine, sessionId)).toEqual(success)
    expect(await reply(sessionId)).toBe(false)
    expect(mine.chats).toEqual([])
  })
})

test('completions of a shell are returned to its owner only', async () => {
  const [mine, theirs] = [await connectViewer(owner), await connectViewer(other)]
  const terminalId = randomUUID()
  await mine.CreateTerminalSession2({ deviceId: agent.id, terminalId })
  const dto = { deviceId: agent.id, terminalId, lastCompletionInput: '$env:SEC', lastCursorIndex: 8 }
  expect(await theirs.GetPwshCompletions(dto)).toEqual(failureOf('Forbidden.'))
  expect(agent.told).toHaveLength(1)
  expect((await mine.GetPwshCompletions(dto)).isSuccess).toBe(true)
})

test('completions of a terminal that is not open reach no agent, so they need the consent of a terminal (T05)', async () => {
  const viewer = await connectViewer(owner)
  agent.reset()
  const dto = {
    deviceId: agent.id,
    terminalId: randomUUID(),
    lastCompletionInput: 'dir \\\\host\\',
    lastCursorIndex: 11,
  }
  expect(await viewer.GetPwshCompletions(dto)).toEqual(failureOf(terminalNotOpen))
  expect(agent.told).toEqual([])
})

test('the list of sessions permits ending a session, and shows no id of a chat', async () => {
  const mine = await connectViewer(owner)
  const sessionId = randomUUID()
  await say(mine, sessionId)
  const token = await makeRestrictedToken(owner, ['device.read', 'device.chat.send'])
  const { items } = await token.client.applianceRemoteSessions.list({})
  expect(items.filter(({ id }) => id === sessionId)).toEqual([])
  const listed = items.at(-1)!
  expect(listed.canEnd).toBe(false)
  await owner.applianceRemoteSessions.end({ params: { sessionId: listed.id }, body: {} })
  await until(() => agent.told.some(([method]) => method === 'CloseChatSession'))
})

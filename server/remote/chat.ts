import { Op } from 'sequelize'
import { dayMs } from '../../shared/durations.ts'
import type { ChatMessageHubDto, ChatResponseHubDto } from '../../shared/dtos/chat.ts'
import { deviceNotConnected, failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import { systemCall, type App, type Call, type OpenCall, type ViewerCall } from '../call/call.ts'
import type { Chat } from './open-chats.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { accountOf, identityOf, isByLink } from '../ground/principal.ts'
import { askAgent } from '../devices/calls.ts'
import { nameOfVisitor } from '../people/names.ts'
import { refusalOfDesktop } from './remote-control.ts'
import { beginSession, sessionEnded } from './session-lifecycle.ts'

/** Time limit for a viewer to confirm that it shows a response. */
const shownMs = 10_000
/** Time for which a response waits for a viewer that reloads its page or reconnects. */
const backMs = 10_000
/** Time without messages after which a chat without a viewer is closed. */
const forgottenAfterMs = 15 * 60_000
/** Maximum number of chat windows on a device, so that they do not cover the desktop. */
const maxPerDevice = 20
/** Limits of an account with its links, and of one link (T44). */
const maxPerAccount = 10
const maxPerLink = 5

/** Time for which a chat's owner is stored across restarts, because the chat window may still be open. */
const rememberedMs = dayMs

const forbidden = failure('Forbidden.')
const over = failure('This chat is over.')
const crowded = failure('Too many chats with this device are open. Close one first.')

/** Routes responses of a chat to this connection. */
function routeToCaller({ app, principal, viewer }: ViewerCall, chat: Chat) {
  chat.session.principal = principal
  chat.session.viewerConnectionId = viewer.connectionId
  chat.usedAt = app.clock.now()
  app.chats.resumed(chat)
}

/** Reattaches a page that was reloaded or disconnected. Sends nothing to the device, which may be offline. */
function attach(call: ViewerCall, device: DeviceState, { sessionId }: { sessionId: string }): HubResult {
  const chat = call.app.chats.find(device.id, sessionId)
  if (chat?.owner !== identityOf(call.principal)) {
    return over
  }
  routeToCaller(call, chat)
  return success
}

function openChat(call: ViewerCall, device: DeviceState, { sessionId: id, targetProcessId }: ChatMessageHubDto) {
  const { app, principal, viewer } = call
  const session = beginSession(call, {
    kind: 'chat',
    device,
    viewerConnectionId: viewer.connectionId,
    bytesToDevice: () => chat.bytesToDevice,
    bytesFromDevice: () => chat.bytesFromDevice,
    stop: () => void closeWindow(app, chat),
  })
  const chat: Chat = {
    id,
    deviceId: device.id,
    processId: targetProcessId,
    owner: identityOf(principal),
    session,
    usedAt: app.clock.now(),
    bytesToDevice: 0,
    bytesFromDevice: 0,
  }
  app.chats.add(chat)
  return chat
}

/** Stored owner of a chat without live state, which may predate a restart. */
const storedOwner = async ({ models }: App, deviceId: string, id: string): Promise<string | undefined> =>
  (await models.Chat.findOne({ where: { deviceId, id } }))?.owner

/** Stores the owner of a chat before the agent receives a message. Returns false for a chat of another owner. */
async function claim({ app, principal }: Call, deviceId: string, id: string): Promise<boolean> {
  const owner = identityOf(principal)
  return await app.database.write(async (transaction) => {
    // Write transactions are serialized, so no other viewer claims the chat concurrently.
    const row = await app.models.Chat.findOne({ where: { deviceId, id }, transaction })
    if (!row && app.fleet.get(deviceId)) {
      await app.models.Chat.create({ deviceId, id, owner, begunAt: app.clock.now() }, { transaction })
    }
    return !row || row.owner === owner
  })
}

/** Removes the stored owner of a chat. */
async function release(app: App, chat: Pick<Chat, 'deviceId' | 'id'>): Promise<void> {
  const { deviceId, id } = chat
  await app.database.uncheckedWrites(() =>
    app.database.write((transaction) => app.models.Chat.destroy({ where: { deviceId, id }, transaction })),
  )
}

function isCrowded({ app, principal }: Call, deviceId: string): boolean {
  const chats = [...app.chats].filter((chat) => chat.deviceId === deviceId)
  const isByGuest = isByLink(principal)
  const ofAccount = chats.filter(
    ({ session: { principal: other } }) => accountOf(other) === accountOf(principal) && isByLink(other) === isByGuest,
  )
  const ofLink = isByGuest ? chats.filter(({ owner }) => owner === identityOf(principal)) : []
  return chats.length >= maxPerDevice || ofAccount.length >= maxPerAccount || ofLink.length >= maxPerLink
}

/** Shows a message on a desktop. Only the owner who began a chat may write or read in it (T30). */
export async function sendChatMessage(
  call: ViewerCall,
  device: DeviceState,
  dto: ChatMessageHubDto,
): Promise<HubResult> {
  const { app, principal, viewer } = call
  const { isAttach, ...shown } = dto
  if (isAttach) {
    return attach(call, device, shown)
  }
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const refusal = await refusalOfDesktop(call, device, dto)
  if (refusal) {
    return refusal
  }
  const senderName = nameOfVisitor(call) || 'Admin'
  const known = app.chats.find(device.id, dto.sessionId)
  if (known && known.owner !== identityOf(principal)) {
    return forbidden
  }
  if (!known && isCrowded(call, device.id)) {
    return crowded
  }
  if (!known && !(await claim(call, device.id, dto.sessionId))) {
    return forbidden
  }
  const message = {
    ...shown,
    deviceId: device.id,
    senderName,
    organizationName: app.tenants.get(device.tenantId)?.name,
    senderEmail: principal.kind === 'User' ? principal.name : '',
    viewerConnectionId: viewer.connectionId,
  }
  const begun = app.chats.find(device.id, dto.sessionId)
  if (!begun && isCrowded(call, device.id)) {
    // Concurrently begun chats have filled the limit.
    await release(app, { deviceId: device.id, id: dto.sessionId })
    return crowded
  }
  const chat = begun ?? openChat(call, device, dto)
  routeToCaller(call, chat)
  const answer = await askAgent(call, device, (agent) => agent.SendChatMessage(message))
  if (answer.isSuccess) {
    chat.session.isConnected = true
    chat.bytesToDevice += Buffer.byteLength(dto.message)
  } else if (!known) {
    await forget(app, chat, 'The device refused the chat.')
  }
  return answer
}

async function forget(app: App, chat: Chat, reason: string): Promise<void> {
  app.chats.remove(chat)
  sessionEnded(app, chat.session, reason)
  await release(app, chat)
}

/** Closes the window on the device, and removes the chat even if the close fails. */
async function closeWindow(app: App, chat: Chat): Promise<void> {
  app.chats.remove(chat)
  const device = app.fleet.get(chat.deviceId)
  if (device && device.connectionId !== '') {
    await askAgent(systemCall(app), device, (agent) => agent.CloseChatSession(chat.id, chat.processId))
  }
  await release(app, chat).catch((error: unknown) =>
    app.log.warn({ err: error }, 'A chat could not be removed from the database.'),
  )
}

export async function closeChat(
  call: Call,
  device: DeviceState,
  { sessionId, targetProcessId }: { sessionId: string; targetProcessId: number },
): Promise<HubResult> {
  const { app } = call
  const chat = app.chats.find(device.id, sessionId)
  const owner = chat?.owner ?? (await storedOwner(app, device.id, sessionId))
  if (owner !== undefined && owner !== identityOf(call.principal)) {
    return forbidden
  }
  const refusal = chat ? undefined : await refusalOfDesktop(call, device, { targetProcessId })
  if (refusal) {
    return refusal
  }
  if (chat) {
    await forget(app, chat, 'The viewer closed the chat.')
  } else if (owner !== undefined) {
    await release(app, { deviceId: device.id, id: sessionId })
  }
  return await askAgent(call, device, (agent) => agent.CloseChatSession(sessionId, targetProcessId))
}

/**
 * Sends a response of the person to the viewer that has the chat open now; the viewer id sent by the device is
 * untrusted (T15). Waits briefly for a disconnected viewer to come back; only the chat's owner can reattach (T30).
 * Returns false when no viewer shows the response; a chat whose viewer does not come back is closed.
 */
export async function passChatResponse(
  call: OpenCall,
  device: DeviceState,
  response: ChatResponseHubDto,
): Promise<boolean> {
  const { app } = call
  for (;;) {
    const chat = app.chats.find(device.id, response.sessionId)
    if (!chat?.session.isAllowed()) {
      return false
    }
    const { viewerConnectionId = '' } = chat.session
    const isShown = await showAnswer(call, chat, { ...response, viewerConnectionId })
    if (isShown !== undefined || app.hubs.viewer.isConnected(viewerConnectionId)) {
      return isShown ?? false
    }
    if (viewerConnectionId === chat.session.viewerConnectionId) {
      const isBack = await app.chats.untilResumed(chat, app.clock, backMs)
      if (isBack === false && app.chats.find(device.id, chat.id) === chat) {
        sessionEnded(app, chat.session, 'The viewer has left.')
        void closeWindow(app, chat)
      }
      if (!isBack) {
        return false
      }
    }
  }
}

/** Whether the page shows the response; undefined without an answer of the page. */
async function showAnswer({ app }: OpenCall, chat: Chat, response: ChatResponseHubDto): Promise<boolean | undefined> {
  const timeout = new AbortController()
  const cancel = app.clock.after(shownMs, () => timeout.abort())
  try {
    const isShown = await app.hubs.viewer
      .invoke(response.viewerConnectionId, timeout.signal)
      .ReceiveChatResponse(response)
    chat.usedAt = app.clock.now()
    chat.bytesFromDevice += Buffer.byteLength(response.message)
    return isShown
  } catch {
    return undefined
  } finally {
    cancel()
  }
}

/** Removes unused chats without a viewer. */
export async function forgetUnusedChats({ app }: OpenCall): Promise<void> {
  const limit = app.clock.now() - forgottenAfterMs
  for (const chat of app.chats) {
    if (chat.usedAt < limit && !app.hubs.viewer.isConnected(chat.session.viewerConnectionId ?? '')) {
      sessionEnded(app, chat.session, 'Nobody came back to the chat.')
      await closeWindow(app, chat)
    }
  }
  const old = await app.models.Chat.findAll({ where: { begunAt: { [Op.lt]: app.clock.now() - rememberedMs } } })
  for (const row of old.filter(({ deviceId, id }) => !app.chats.find(deviceId, id))) {
    await release(app, row)
  }
}

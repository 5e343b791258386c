import type { SharedTerminalDto } from '../../../shared/api/appliance-terminal-shares.ts'
import {
  deviceNotConnected,
  failure,
  success,
  terminalNotOpen,
  type HubResult,
} from '../../../shared/dtos/hub-result.ts'
import { systemCall, type App, type Call, type ViewerCall } from '../../call/call.ts'
import { requireConsent } from '../consent.ts'
import { askAgent } from '../../devices/calls.ts'
import { notFound } from '../../ground/errors.ts'
import { instant } from '../../ground/instant.ts'
import { nameOfAccount, nameOfCaller } from '../../people/names.ts'
import { beginSession } from '../session-lifecycle.ts'
import type { Guest, Terminal } from './terminal-mirror.ts'
import { forbidden, release } from './sessions.ts'
import { sharedWith, type Shared } from './share-rights.ts'
import { addressOf, noteTypist, notifyViewers, removeGuest, replayFor, tellDeviceOfGuest } from './viewers.ts'

/** Calls of the guest of one link in a minute. */
const limits = { join: 60, type: 1800 }

/** Connections on which the guest of one link sees the terminal: each gets all output. */
const maxWindows = 8

const tooMany = failure(`This link shows the terminal in ${maxWindows} windows already. Close one first.`)
const tooFast = failure('Too much input at once. Wait a minute.')
const onlyWatching = failure('You may only watch this terminal.')

/** Terminal that the link of the caller opens. Throws 404 once the sharing has ended. */
export function sharedTerminal(call: Call): SharedTerminalDto {
  const { app, principal } = call
  const shared = sharedWith(app, principal)
  if (!shared || principal.credential.kind !== 'LogonToken') {
    throw notFound('shared terminal')
  }
  const { share, device } = shared
  const { makerId, sessionId } = principal.credential
  return {
    deviceId: device.id,
    terminalId: share.terminalId,
    deviceName: device.alias || device.name,
    byName: nameOfAccount(app, makerId),
    canType: share.canType,
    isOnline: device.connectionId !== '',
    expiresAt: instant(app.sessions.expiresAt(sessionId) ?? app.clock.now()),
  }
}

/** Asks the person at the device once for each link, where a policy wants it. */
async function refusalOfGuest(call: ViewerCall, { share, terminal, device }: Shared): Promise<HubResult | undefined> {
  if (terminal.letIn.has(share.id)) {
    return undefined
  }
  const { app, principal, viewer } = call
  const answer = await app.consentAnswers.askOnce(`terminal of ${share.id}`, () =>
    requireConsent(call, device, { subject: 'terminal', grantFor: viewer.connectionId }),
  )
  if (!answer.isSuccess) {
    return answer
  }
  // The sharing may have ended while the person thought.
  if (sharedWith(app, principal)?.terminal !== terminal) {
    return forbidden
  }
  terminal.letIn.add(share.id)
  return undefined
}

/** Ends the link of a guest whose session was ended by somebody, or whose right has ended. */
async function endShare(app: App, terminal: Terminal, guest: Guest, reason: string) {
  removeGuest(app, terminal, guest, reason)
  try {
    await app.database.write((transaction) =>
      app.models.LogonToken.destroy({ where: { id: guest.shareId }, transaction }),
    )
  } catch (error) {
    app.log.warn({ err: error, shareId: guest.shareId }, 'The link of a guest could not be ended.')
  }
}

/** Registers a guest with a session of its own. */
function enter(call: ViewerCall, { share, terminal, device }: Shared): Guest {
  const { app, principal, viewer } = call
  const known = terminal.guests.get(viewer.connectionId)
  if (known) {
    return known
  }
  const guest: Guest = {
    connectionId: viewer.connectionId,
    shareId: share.id,
    principal,
    session: beginSession(call, {
      kind: 'terminal',
      device,
      viewerConnectionId: viewer.connectionId,
      isConnected: true,
      endsWith: 'work',
      isAllowed: () => sharedWith(app, principal)?.terminal === terminal,
      bytesToDevice: () => guest.bytesTyped,
      bytesFromDevice: () => guest.bytesSeen,
      stop: (reason) => void endShare(app, terminal, guest, reason),
    }),
    bytesTyped: 0,
    bytesSeen: 0,
    waiting: 0,
    isBehind: false,
  }
  terminal.guests.set(guest.connectionId, guest)
  tellDeviceOfGuest(app, terminal, guest, true)
  void notifyViewers(app, terminal, { isSharingChanged: true }, { but: guest.connectionId })
  return guest
}

const isOpenTooOften = ({ share, terminal }: Shared, connectionId: string) =>
  !terminal.guests.has(connectionId) &&
  [...terminal.guests.values()].filter(({ shareId }) => shareId === share.id).length >= maxWindows

const isTooFast = (kind: keyof typeof limits, { share, terminal }: Shared) =>
  terminal.guestCalls.add(`${kind} ${share.id}`) > limits[kind]

/** Shows the shared terminal on a connection of the caller, with the recent output first. */
export async function joinSharedTerminal(call: ViewerCall): Promise<HubResult> {
  const { app, principal, viewer } = call
  const shared = sharedWith(app, principal)
  if (!shared) {
    return forbidden
  }
  if (isTooFast('join', shared)) {
    return tooFast
  }
  const { terminal } = shared
  const refusal = await refusalOfGuest(call, shared)
  if (refusal) {
    return refusal
  }
  // A recorder that a policy requires must be there before output passes.
  const unrecorded = await terminal.opening
  const device = app.fleet.get(terminal.deviceId)
  if (unrecorded !== undefined || !terminal.session || !device || device.connectionId === '') {
    return failure(unrecorded ?? deviceNotConnected)
  }
  if (!app.hubs.viewer.isConnected(viewer.connectionId) || sharedWith(app, principal)?.terminal !== terminal) {
    return forbidden
  }
  if (isOpenTooOften(shared, viewer.connectionId)) {
    return tooMany
  }
  const guest = enter(call, { ...shared, device })
  if (terminal.size) {
    void notifyViewers(app, terminal, terminal.size, { to: viewer.connectionId })
  }
  const answer = await replayFor(call, device, terminal, viewer.connectionId)
  if (!answer.isSuccess) {
    removeGuest(app, terminal, guest, answer.reason ?? '')
    await releaseIfEnded(call, terminal, answer)
    return answer
  }
  return success
}

/** Types as the guest, if the owner of the terminal lets it. */
export async function typeIntoSharedTerminal(call: ViewerCall, input: string): Promise<HubResult> {
  const { app, principal, viewer } = call
  const shared = sharedWith(app, principal)
  const guest = shared?.terminal.guests.get(viewer.connectionId)
  if (!shared || !guest) {
    return forbidden
  }
  const { share, terminal, device } = shared
  if (!share.canType) {
    return onlyWatching
  }
  if (isTooFast('type', shared)) {
    return tooFast
  }
  guest.bytesTyped += Buffer.byteLength(input)
  terminal.usedAt = app.clock.now()
  noteTypist(terminal, guest.connectionId, nameOfCaller(call))
  const viewerConnectionId = addressOf(terminal, guest.connectionId)
  const typed = { terminalId: terminal.id, input, isRaw: true, viewerConnectionId }
  const answer = await askAgent(call, device, (agent) => agent.ReceiveTerminalInput(typed))
  await releaseIfEnded(call, terminal, answer)
  return answer.isSuccess ? success : failure(answer.reason!)
}

async function releaseIfEnded({ app }: Call, terminal: Terminal, { reason }: HubResult) {
  if (reason === terminalNotOpen) {
    await release(systemCall(app), terminal, 'A terminal was no longer open on its device.')
  }
}

/** Closes the connections of the guests of a device: they connect again, to the server that holds the device now. */
export const moveGuests = (app: App, deviceId: string): void =>
  app.hubs.viewer.disconnect(
    ({ credential }) =>
      credential.kind === 'LogonToken' && app.terminalShares.find(credential.id)?.deviceId === deviceId,
  )

/** Removes a disconnected guest. */
export function dropGuest(app: App, connectionId: string): void {
  for (const terminal of app.terminals.all()) {
    const guest = terminal.guests.get(connectionId)
    if (guest) {
      removeGuest(app, terminal, guest, 'The guest left.')
    }
  }
}

import { instant } from '../../ground/instant.ts'
import type { TerminalOutputDto } from '../../../shared/dtos/terminal.ts'
import { terminalGuestType, type TerminalGuest } from '../../../shared/dtos/terminal-guest.ts'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import type { App, OpenCall } from '../../call/call.ts'
import { agentMessage, askAgent } from '../../devices/calls.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { deviceRight } from '../../fleet/rights.ts'
import type { Principal } from '../../ground/principal.ts'
import { nameOfCaller } from '../../people/names.ts'
import { sessionEnded } from '../session-lifecycle.ts'
import type { Guest, Terminal } from './terminal-mirror.ts'
import { sharedWith } from './share-rights.ts'

/** Characters that wait for a guest who reads slowly; then the guest misses output. More than a replay of our agent. */
const maxWaitingForGuest = 1024 * 1024
/** Time within which an agent begins a replay; an agent of another make may never do so. */
const replayWithinMs = 10_000

/** Viewers of the owner that may still use a terminal (T10). */
function permittedViewers(app: App, { deviceId, viewers }: Terminal): string[] {
  const device = app.fleet.get(deviceId)
  const isAllowed = (principal: Principal) =>
    device !== undefined && deviceRight(app, principal, 'device.terminal.use')(device)
  return [...viewers].filter(([, principal]) => isAllowed(principal)).map(([connectionId]) => connectionId)
}

/** Guests to whom a terminal is still shared. */
const permittedGuests = (app: App, terminal: Terminal): Guest[] =>
  [...terminal.guests.values()].filter(({ principal }) => sharedWith(app, principal)?.terminal === terminal)

/** Connection under which an agent knows a viewer of the owner, or else the guest who asks. */
export function addressOf({ viewers, usedFrom }: Terminal, guestConnectionId: string): string {
  const known = [...viewers.keys()].at(-1) ?? [...usedFrom].at(-1)
  if (known === undefined) {
    usedFrom.add(guestConnectionId)
  }
  return known ?? guestConnectionId
}

/** Asks the agent for the recent output again, for one connection; other viewers have it. */
export async function askForReplay<Answer extends HubResult>(
  { clock }: App,
  { replay }: Terminal,
  { connectionId }: DeviceState,
  viewer: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  replay.wantedBy.add(viewer)
  replay.askedOf = connectionId
  replay.askedAt = clock.monotonic()
  const asked = ask()
  replay.answer = asked.catch(() => failure('The agent did not answer.'))
  const { isSuccess } = await replay.answer
  if (!isSuccess) {
    replay.wantedBy.delete(viewer)
  }
  return await asked
}

/** Whether a replay that was asked for has not begun yet: a second one would show every viewer the output twice. */
const isExpected = ({ clock }: App, { replay }: Terminal, { connectionId }: DeviceState) =>
  replay.wantedBy.size > 0 && replay.askedOf === connectionId && clock.monotonic() - replay.askedAt < replayWithinMs

/** Asks the agent for the recent output, for one guest; guests who ask at the same time share a replay. */
export async function replayFor(
  call: OpenCall,
  device: DeviceState,
  terminal: Terminal,
  guestConnectionId: string,
): Promise<HubResult> {
  const { replay } = terminal
  if (isExpected(call.app, terminal, device) && !replay.wantedBy.has(guestConnectionId)) {
    replay.wantedBy.add(guestConnectionId)
    if ((await replay.answer).isSuccess) {
      return success
    }
  }
  const viewerConnectionId = addressOf(terminal, guestConnectionId)
  const input = { terminalId: terminal.id, input: '', isRaw: true, isAttach: true, viewerConnectionId }
  const { isSuccess, reason } = await askForReplay(call.app, terminal, device, guestConnectionId, () =>
    askAgent(call, device, (agent) => agent.ReceiveTerminalInput(input)),
  )
  return isSuccess ? success : failure(reason!)
}

/**
 * Sends output to a guest without waiting: a slow guest never slows the shell. A guest with too much output on its way
 * gets none until all of that has arrived, and then the recent output again.
 */
function sendToGuest(call: OpenCall, device: DeviceState, terminal: Terminal, guest: Guest, output: TerminalOutputDto) {
  const { app } = call
  if (guest.isBehind && !output.isReplay) {
    return
  }
  guest.isBehind = false
  guest.waiting += output.output.length
  guest.bytesSeen += Buffer.byteLength(output.output)
  guest.isBehind = guest.waiting > maxWaitingForGuest
  void app.hubs.viewer
    .send(guest.connectionId)
    .ReceiveTerminalOutput(output)
    .finally(() => {
      guest.waiting -= output.output.length
      if (guest.isBehind && guest.waiting === 0 && terminal.guests.get(guest.connectionId) === guest) {
        void replayFor(call, app.fleet.get(device.id) ?? device, terminal, guest.connectionId)
      }
    })
}

/** Sends output of a device to all viewers of a terminal; resolves when the viewers of its owner take more. */
export async function sendToViewers(
  call: OpenCall,
  device: DeviceState,
  terminal: Terminal,
  output: TerminalOutputDto,
): Promise<void> {
  const { app } = call
  const { replay } = terminal
  const { isReplay, isPast } = output
  if (isReplay) {
    // A replay of which the agent decided, after a lost connection, is for all.
    const isAsked = replay.wantedBy.size > 0 && replay.askedOf === device.connectionId
    // A replay that begins again within one that has not ended is for the viewers of both.
    const running = replay.isRunning ? replay.to : new Set<string>()
    replay.to = isAsked && running ? replay.wantedBy.union(running) : undefined
    replay.wantedBy.clear()
  }
  replay.isRunning = isReplay === true || isPast === true
  const { isReplay: _, ...continued } = output
  const sees = (id: string) => isPast !== true || (replay.to?.has(id) ?? true)
  const partFor = (id: string) => (isReplay && replay.to?.has(id) === false ? continued : output)
  for (const guest of permittedGuests(app, terminal)) {
    if (sees(guest.connectionId)) {
      sendToGuest(call, device, terminal, guest, partFor(guest.connectionId))
    }
  }
  const byPart = Map.groupBy(permittedViewers(app, terminal).filter(sees), partFor)
  await Promise.all([...byPart].map(([part, ids]) => app.hubs.viewer.send(...ids).ReceiveTerminalOutput(part)))
}

/** Sends a server event to the viewers of a terminal, guests among them. */
export function notifyViewers(
  app: App,
  terminal: Terminal,
  part: Partial<TerminalOutputDto>,
  { but = '', to }: { but?: string; to?: string } = {},
): Promise<void> {
  const timestamp = instant(app.clock.now())
  const output: TerminalOutputDto = { terminalId: terminal.id, output: '', outputKind: 0, timestamp, ...part }
  const guests = permittedGuests(app, terminal).map(({ connectionId }) => connectionId)
  const permitted = [...permittedViewers(app, terminal), ...guests]
  const recipients = permitted.filter((id) => id !== but && (to === undefined || id === to))
  return app.hubs.viewer.send(...recipients).ReceiveTerminalOutput(output)
}

/** Marks in the recording who types from now on, once a guest has typed. `guestId`: connection; undefined for the owner. */
export function noteTypist(terminal: Terminal, guestId: string | undefined, name: string): void {
  if (terminal.typist !== guestId) {
    terminal.typist = guestId
    terminal.recorder?.mark('typist', name)
  }
}

/** Tells our agent of a guest, for the list of visits at the device. */
export function tellDeviceOfGuest(app: App, terminal: Terminal, guest: Guest, isHere: boolean): void {
  const device = app.fleet.get(terminal.deviceId)
  if (!device || !app.consentAnswers.canAsk(device.connectionId)) {
    return
  }
  const organizationName = app.tenants.get(device.tenantId)?.name
  const told: TerminalGuest = {
    terminalId: terminal.id,
    guestId: guest.connectionId,
    guestName: nameOfCaller({ app, principal: guest.principal }),
    ...(organizationName !== undefined && { organizationName }),
    isHere,
    hasTyped: guest.bytesTyped > 0,
  }
  void app.hubs.agent.send(device.connectionId).ReceiveDto(agentMessage(terminalGuestType, told))
}

/** Removes a guest who left, or whose visit was ended. */
export function removeGuest(app: App, terminal: Terminal, guest: Guest, reason: string): void {
  if (terminal.guests.get(guest.connectionId) === guest) {
    terminal.guests.delete(guest.connectionId)
    tellDeviceOfGuest(app, terminal, guest, false)
    void notifyViewers(app, terminal, { isSharingChanged: true })
  }
  sessionEnded(app, guest.session, reason)
}

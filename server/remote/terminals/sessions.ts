import type { Transaction } from 'sequelize'
import { deviceNotConnected, failure, terminalNotOpen, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { systemCall, type App, type Call, type OpenCall, type ViewerCall } from '../../call/call.ts'
import { requireConsent } from '../consent.ts'
import { sendToAgent } from '../../devices/calls.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { deviceRight } from '../../fleet/rights.ts'
import { openRecorder } from '../../recordings/open-recorder.ts'
import type { RemoteSession } from '../remote-sessions.ts'
import { beginSession, sessionEnded } from '../session-lifecycle.ts'
import type { Terminal } from './terminal-mirror.ts'
import { notifyViewers, removeGuest } from './viewers.ts'

export const forbidden = failure('Forbidden.')

/** Logs an event of a terminal with its actor. */
export const note = ({ app, actor }: OpenCall, { deviceId, id, owner }: Terminal, message: string) =>
  app.log.info({ actor, deviceId, terminalId: id, owner }, message)

/** Asks the person at the device where a policy wants it. The right of the caller may end meanwhile. */
export async function refusalOfPerson(call: ViewerCall, { id }: DeviceState): Promise<HubResult | undefined> {
  const { app, principal, viewer } = call
  const device = app.fleet.get(id)
  const consent = device && (await requireConsent(call, device, { subject: 'terminal', grantFor: viewer.connectionId }))
  if (consent?.isSuccess !== true) {
    return consent ?? failure(deviceNotConnected)
  }
  const current = app.fleet.get(id)
  const isAllowed = principal.isLive() && current && deviceRight(app, principal, 'device.terminal.use')(current)
  return isAllowed ? undefined : forbidden
}

/**
 * Begins the session of a terminal with its recorder, unless both exist; returns the reason why it cannot. Calls during
 * the beginning wait for it: what a policy requires to be recorded must not pass before the recorder is there. A terminal
 * that was closed meanwhile has no session.
 */
export async function openSession(
  call: Call,
  device: DeviceState,
  terminal: Terminal,
  viewerConnectionId?: string,
): Promise<string | undefined> {
  const isOpen = () => call.app.terminals.find(terminal.deviceId, terminal.id) === terminal
  if (isOpen() && !terminal.session) {
    const session = sessionOf(call, device, terminal, viewerConnectionId)
    terminal.session = session
    terminal.opening = beginRecorder(call, device, terminal, session)
  }
  const refusal = await terminal.opening
  return refusal ?? (isOpen() ? undefined : terminalNotOpen)
}

async function beginRecorder(
  call: Call,
  device: DeviceState,
  terminal: Terminal,
  session: RemoteSession,
): Promise<string | undefined> {
  const { app, principal, actor } = call
  const recorder = await openRecorder(app, device, {
    id: session.id,
    kind: 'terminal',
    principal,
    actor,
    terminalId: terminal.id,
    stop: (reason) => session.stop(reason),
  })
  if (typeof recorder === 'string') {
    await release(call, terminal, recorder)
    return recorder
  }
  if (terminal.session !== session) {
    // Closed meanwhile: nobody else would end this recorder.
    if (recorder) {
      app.recorders.end(recorder)
    }
    return terminalNotOpen
  }
  terminal.recorder = recorder
  return await recorder?.begin()
}

/** Begins the session of a terminal. Bound to the account, so that its owner may sign out and resume. */
const sessionOf = (call: Call, device: DeviceState, terminal: Terminal, viewerConnectionId?: string) =>
  beginSession(call, {
    kind: 'terminal',
    device,
    ...(viewerConnectionId !== undefined && { viewerConnectionId }),
    startedAt: terminal.startedAt,
    isConnected: true,
    endsWith: 'account',
    bytesToDevice: () => terminal.bytesToDevice,
    bytesFromDevice: () => terminal.bytesFromDevice,
    stop: (reason) => void endTerminal(call.app, terminal, reason),
  })

/** Removes the owner of a terminal. */
export async function release(call: OpenCall, terminal: Terminal, message: string): Promise<void> {
  const { app } = call
  const { deviceId, id, owner } = terminal
  const removeGuests = () => terminal.guests.forEach((guest) => removeGuest(app, terminal, guest, message))
  removeGuests()
  const remove = async (transaction: Transaction) => {
    // Read here: a link may be stored until this transaction begins.
    const shares = await app.models.TerminalShare.findAll({
      where: { deviceId, terminalId: id },
      transaction,
      raw: true,
    })
    await app.models.LogonToken.destroy({ where: { id: shares.map((share) => share.id) }, transaction })
    return await app.models.Terminal.destroy({ where: { deviceId, id, owner }, transaction })
  }
  // The terminal has ended at its device, whoever asked for that.
  const deleted = await app.database.uncheckedWrites(() => app.database.write(remove))
  removeGuests()
  if (deleted > 0) {
    note(call, terminal, message)
  }
  if (terminal.session) {
    sessionEnded(app, terminal.session, message)
    terminal.session = undefined
  }
  if (terminal.recorder) {
    app.recorders.end(terminal.recorder)
    terminal.recorder = undefined
  }
}

/** Ends a terminal for a reason other than its owner's request. */
export async function endTerminal(app: App, terminal: Terminal, reason: string): Promise<void> {
  const call = systemCall(app)
  const { deviceId, id } = terminal
  const device = app.fleet.get(deviceId)
  try {
    if (device) {
      await sendToAgent(call, device, (agent) => agent.CloseTerminalSession(id))
    }
    void notifyViewers(app, terminal, { isExit: true })
    await release(call, terminal, reason)
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'A terminal could not be closed.')
  }
}

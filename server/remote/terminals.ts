import { cutText } from '../../shared/cut-text.ts'
import {
  deviceNotConnected,
  failure,
  failureOf,
  success,
  terminalNotOpen,
  type HubResult,
} from '../../shared/dtos/hub-result.ts'
import type { PwshCompletionsRequestDto, PwshCompletionsResult } from '../../shared/dtos/pwsh-completions.ts'
import type {
  OpenTerminalDto,
  TerminalInputDto,
  TerminalOutputDto,
  TerminalSessionResult,
} from '../../shared/dtos/terminal.ts'
import { actorOf } from '../ground/actor.ts'
import { systemCall, type App, type Call, type OpenCall, type ViewerCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { RemoteSession } from './remote-sessions.ts'
import type { Terminal } from './terminal-mirror.ts'
import { deviceRight } from '../fleet/rights.ts'
import { ownerOf, type Principal } from '../ground/principal.ts'
import { terminalOwner } from './terminal-owner.ts'
import { requireConsent } from '../consent/ask.ts'
import { openRecorder } from '../recordings/session-recorder.ts'
import { askAgent, sendToAgent, type Agent } from '../devices/calls.ts'
import { beginSession, forbiddenReason, sessionEnded } from './session-work.ts'

/** Higher than the limit of our agent. */
const maxPerDevice = 100

/** Agents send the next output of a terminal when the server has answered the last one. */
const maxWaitingOutputs = 2

/** Length limit of the shell name reported by an agent, which is stored for the life of the terminal. */
const maxShellLength = 1024

/** Agents end a shell after ten minutes without use. */
const forgottenAfterMs = 15 * 60_000

const forbidden = failure('Forbidden.')
const noTerminalId = failure('A terminal id is required.')

/** Logs an event of a terminal with its actor. */
const note = ({ app, actor }: OpenCall, { deviceId, id, owner }: Terminal, message: string) =>
  app.log.info({ actor, deviceId, terminalId: id, owner }, message)

/**
 * Stores the owner of a terminal before the agent is asked. Returns undefined for a deleted device, or at the limit of
 * the device.
 */
async function claim({ app, principal }: Call, deviceId: string, id: string): Promise<Terminal | undefined> {
  await app.database.write(async (transaction) => {
    // Write transactions are serialized, so no other viewer claims the terminal concurrently.
    const isFree = app.terminals.find(deviceId, id) === undefined && app.terminals.countOf(deviceId) < maxPerDevice
    if (isFree && app.fleet.get(deviceId)) {
      const row = { deviceId, id, owner: ownerOf(principal), startedAt: app.clock.now() }
      await app.models.Terminal.create(row, { transaction })
    }
  })
  return app.terminals.find(deviceId, id)
}

/** Removes the owner of a terminal. */
async function release(call: OpenCall, terminal: Terminal, message: string): Promise<void> {
  const { app } = call
  const { deviceId, id, owner } = terminal
  const deleted = await app.database.write((transaction) =>
    app.models.Terminal.destroy({ where: { deviceId, id, owner }, transaction }),
  )
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

/** Asks the person at the device where a policy wants it. The right of the caller may end meanwhile. */
async function refusalOfPerson(call: ViewerCall, { id }: DeviceState): Promise<HubResult | undefined> {
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
 * Calls an agent about a terminal of the caller. A free id becomes the caller's if the agent opens the terminal (T30).
 * Other agents open a terminal on input, too.
 */
async function onTerminal(
  call: ViewerCall,
  device: DeviceState,
  id: string,
  ask: (agent: Agent) => Promise<TerminalSessionResult>,
): Promise<TerminalSessionResult> {
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const { app, principal, viewer } = call
  if (!app.terminals.find(device.id, id)) {
    // Before the claim: a claimed terminal takes input, on which other agents open a shell.
    const refusal = await refusalOfPerson(call, device)
    if (refusal) {
      return refusal
    }
  }
  const known = app.terminals.find(device.id, id)
  const terminal = known ?? (await claim(call, device.id, id))
  if (!terminal && app.fleet.get(device.id)) {
    return failure(`This device has ${maxPerDevice} open terminals already. Close one first.`)
  }
  if (terminal?.owner !== ownerOf(principal)) {
    return forbidden
  }
  // Agents send output before they answer.
  app.terminals.use(terminal, { connectionId: viewer.connectionId, principal })
  const refusal = await openSession(call, device, terminal, viewer.connectionId)
  if (refusal !== undefined) {
    return failure(refusal)
  }
  const answer: TerminalSessionResult = await askAgent(call, device, ask)
  terminal.shell = answer.shell === undefined ? terminal.shell : cutText(answer.shell, maxShellLength)
  if (!known) {
    if (answer.isSuccess) {
      note(call, terminal, 'A terminal was opened.')
    } else {
      await release(call, terminal, 'A device did not open a terminal.')
    }
  } else if (answer.reason === terminalNotOpen) {
    await release(call, terminal, 'A terminal was no longer open on its device.')
  }
  return answer
}

/**
 * Begins the session of a terminal with its recorder, unless both exist; returns the reason why it cannot. Calls during
 * the beginning wait for it: what a policy requires to be recorded must not pass before the recorder is there.
 */
async function openSession(
  call: Call,
  device: DeviceState,
  terminal: Terminal,
  viewerConnectionId?: string,
): Promise<string | undefined> {
  if (!terminal.session) {
    const session = sessionOf(call, device, terminal, viewerConnectionId)
    terminal.session = session
    terminal.opening = beginRecorder(call, device, terminal, session)
  }
  return await terminal.opening
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

export const createTerminal = async (call: ViewerCall, device: DeviceState, id: string | undefined) =>
  id === undefined
    ? noTerminalId
    : onTerminal(call, device, id, async (agent) => {
        const answer = await agent.CreateTerminalSession(id, call.viewer.connectionId)
        const terminal = call.app.terminals.find(device.id, id)
        if (terminal) {
          terminal.isPty = answer.isPty ?? false
        }
        return answer
      })

/** Sends input to a terminal, and its output to this viewer from then on. */
export const sendTerminalInput = (call: ViewerCall, device: DeviceState, input: TerminalInputDto) =>
  onTerminal(call, device, input.terminalId, (agent) => {
    const terminal = call.app.terminals.find(device.id, input.terminalId)
    if (terminal?.isPty === false && input.isAttach) {
      // Without a pseudo-terminal, an agent would execute the empty input, or answer a script's prompt with it.
      return Promise.resolve(success)
    }
    if (terminal) {
      terminal.bytesToDevice += Buffer.byteLength(input.input)
      resize(call, terminal, input)
    }
    return agent.ReceiveTerminalInput({ ...input, viewerConnectionId: call.viewer.connectionId })
  })

/** Resizes a terminal to its last active viewer; other viewers show it in this size. */
function resize({ app, viewer }: ViewerCall, terminal: Terminal, { columns, rows }: TerminalInputDto): void {
  const { size } = terminal
  if (columns !== undefined && rows !== undefined && (columns !== size?.columns || rows !== size.rows)) {
    terminal.size = { columns, rows }
    terminal.recorder?.terminal?.resize(columns, rows)
    void notifyViewers(app, terminal, { columns, rows }, viewer.connectionId)
  }
}

/** Viewers of a terminal that may still use it (T10). */
function permittedViewers(app: App, { deviceId, viewers }: Terminal): string[] {
  const device = app.fleet.get(deviceId)
  const isAllowed = (principal: Principal) =>
    device !== undefined && deviceRight(app, principal, 'device.terminal.use')(device)
  return [...viewers].filter(([, principal]) => isAllowed(principal)).map(([connectionId]) => connectionId)
}

/** Sends a server event to the viewers of a terminal. */
function notifyViewers(app: App, terminal: Terminal, part: Partial<TerminalOutputDto>, but = ''): Promise<void> {
  const timestamp = new Date(app.clock.now()).toISOString()
  const output: TerminalOutputDto = { terminalId: terminal.id, output: '', outputKind: 0, timestamp, ...part }
  const recipients = permittedViewers(app, terminal).filter((connectionId) => connectionId !== but)
  return app.hubs.viewer.send(...recipients).ReceiveTerminalOutput(output)
}

/** Open terminals of the caller on a device, most recently used first. */
export const terminalsOf = ({ app, principal }: Call, device: DeviceState): Terminal[] =>
  app.terminals
    .of(device.id)
    .filter(({ owner }) => owner === ownerOf(principal))
    .toSorted((a, b) => b.usedAt - a.usedAt)

/** Completes a line in a terminal. Completions reveal a shell's state, so only the terminal's owner gets them (T30). */
export async function completeLine(
  call: ViewerCall,
  device: DeviceState,
  dto: PwshCompletionsRequestDto,
): Promise<PwshCompletionsResult> {
  const terminal = call.app.terminals.find(device.id, dto.terminalId)
  if (terminal && terminal.owner !== ownerOf(call.principal)) {
    return failureOf(forbidden.reason!)
  }
  const request = { ...dto, viewerConnectionId: call.viewer.connectionId }
  const answer = await askAgent(call, device, (agent) => agent.GetPwshCompletions(request))
  return 'value' in answer ? answer : failureOf(answer.reason!)
}

/** Ends a terminal, and notifies its other viewers. */
export async function closeTerminal(call: ViewerCall, device: DeviceState, id: string | undefined): Promise<HubResult> {
  if (id === undefined) {
    return noTerminalId
  }
  const terminal = call.app.terminals.find(device.id, id)
  if (terminal && terminal.owner !== ownerOf(call.principal)) {
    return forbidden
  }
  const result = await sendToAgent(call, device, (agent) => agent.CloseTerminalSession(id))
  if (terminal && result.isSuccess) {
    void notifyViewers(call.app, terminal, { isExit: true }, call.viewer.connectionId)
    await release(call, terminal, 'A terminal was closed.')
  }
  return result
}

/**
 * Sends output of a device to all viewers of a terminal. The viewer id sent by the agent is untrusted: it must be a
 * connection, open or closed, under which the owner used this terminal (T15, T30). Viewers without the permission get
 * nothing (T10). `releaseSlot` lets other calls of the device run while a slow viewer delays this terminal (T37).
 */
export async function passTerminalOutput(
  call: OpenCall,
  device: DeviceState,
  viewerConnectionId: string,
  { columns: _, rows: __, ...output }: TerminalOutputDto,
  releaseSlot: () => void,
): Promise<void> {
  const { app } = call
  const terminal = app.terminals.find(device.id, output.terminalId)
  if (terminal && (terminal.viewers.has(viewerConnectionId) || terminal.usedFrom.has(viewerConnectionId))) {
    const sent = app.hubs.viewer.send(...permittedViewers(app, terminal)).ReceiveTerminalOutput(output)
    if (++terminal.waitingOutputs <= maxWaitingOutputs) {
      releaseSlot()
    }
    // Awaited for back-pressure: a slow viewer slows the terminal, not the server.
    await sent.finally(() => terminal.waitingOutputs--)
  }
  if (terminal) {
    terminal.bytesFromDevice += Buffer.byteLength(output.output)
    terminal.recorder?.terminal?.output(output.output)
  }
  if (terminal && output.isExit) {
    await release(call, terminal, 'A terminal exited.')
  }
}

/** Ends a terminal for a reason other than its owner's request. */
async function endTerminal(app: App, terminal: Terminal, reason: string): Promise<void> {
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

/**
 * Resumes the sessions of the terminals that an agent reports on connecting. Terminals that it does not report have
 * ended; terminals whose owner has lost the account or the right, or is unknown, are ended.
 */
export async function resumeTerminals(call: OpenCall, device: DeviceState, open: OpenTerminalDto[]): Promise<void> {
  const { app } = call
  const connectedAt = app.presence.connectedAt(device.id) ?? 0
  const reported = new Map(open.map((each) => [each.terminalId, each]))
  for (const terminal of app.terminals.of(device.id)) {
    const report = reported.get(terminal.id)
    reported.delete(terminal.id)
    if (report) {
      await resumeTerminal(call, device, terminal, report)
    } else if (terminal.usedAt < connectedAt) {
      await release(call, terminal, 'A terminal was no longer open on its device.')
    }
  }
  for (const id of reported.keys()) {
    await sendToAgent(call, device, (agent) => agent.CloseTerminalSession(id))
  }
}

async function resumeTerminal({ app }: OpenCall, device: DeviceState, terminal: Terminal, { shell }: OpenTerminalDto) {
  terminal.shell = shell.toWellFormed()
  terminal.isPty = true
  const principal = terminalOwner(app, terminal.owner)
  if (principal) {
    await openSession({ app, principal, actor: actorOf(principal, null) }, device, terminal)
  }
  if (terminal.session?.isAllowed() !== true) {
    await endTerminal(app, terminal, forbiddenReason)
  }
}

/** Removes terminals that their agents have ended without notice. */
export async function forgetUnusedTerminals(call: OpenCall): Promise<void> {
  const { clock, terminals } = call.app
  const limit = clock.now() - forgottenAfterMs
  for (const terminal of [...terminals.all()].filter(({ usedAt }) => usedAt < limit)) {
    await release(call, terminal, 'An unused terminal was removed.')
  }
}

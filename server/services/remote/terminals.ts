import {
  deviceNotConnected,
  failure,
  failureOf,
  success,
  terminalNotOpen,
  type HubResult,
} from '../../../shared/dtos/hub-result.ts'
import type { PwshCompletionsRequestDto, PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import type { TerminalInputDto, TerminalOutputDto, TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import { systemCall, type App, type Call, type OpenCall, type ViewerCall } from '../../call.ts'
import type { DeviceState } from '../../mirrors/fleet/device-state.ts'
import type { Terminal } from '../../mirrors/terminals.ts'
import { deviceRight } from '../../policies/device.ts'
import { ownerOf, type Principal } from '../../principal.ts'
import { askAgent, tellAgent, type Agent } from '../agent-calls/calls.ts'
import { beginSession, sessionEnded } from '../agent-calls/remote-sessions.ts'

/** More than an agent of ours allows. */
const maxPerDevice = 100

/** Of the program that an agent says to have started: it is kept as long as the terminal. */
const maxShellLength = 1024

/** Agents end a shell after ten minutes without use. */
const forgottenAfterMs = 15 * 60_000

const forbidden = failure('Forbidden.')
const noTerminalId = failure('A terminal id is required.')

/** Writes down what became of a terminal, and who did it. */
const note = ({ app, actor }: OpenCall, { deviceId, id, owner }: Terminal, message: string) =>
  app.log.info({ actor, deviceId, terminalId: id, owner }, message)

/** Stores whom a terminal belongs to, before its agent hears of it. Undefined when the device is gone or has too many. */
async function claim({ app, principal }: Call, deviceId: string, id: string): Promise<Terminal | undefined> {
  await app.database.write(async (transaction) => {
    // In a turn of its own: nobody else claims it at the same time.
    const isFree = app.terminals.find(deviceId, id) === undefined && app.terminals.countOf(deviceId) < maxPerDevice
    if (isFree && app.fleet.get(deviceId)) {
      const row = { deviceId, id, owner: ownerOf(principal) }
      await app.models.Terminal.create(row, { transaction })
    }
  })
  return app.terminals.find(deviceId, id)
}

/** Nobody has the terminal any more. */
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
}

/**
 * Asks an agent about a terminal of the caller; an id that nobody has becomes the caller's, if the agent then opens it
 * (T30). Other agents open a terminal for an input, too.
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
  terminal.session ??= sessionOf(call, device, terminal)
  const answer: TerminalSessionResult = await askAgent(call, device, ask)
  terminal.shell = answer.shell?.slice(0, maxShellLength).toWellFormed() ?? terminal.shell
  if (!known) {
    if (answer.isSuccess) {
      note(call, terminal, 'A terminal was opened.')
    } else {
      await release(call, terminal, 'A terminal was refused by its device.')
    }
  } else if (answer.reason === terminalNotOpen) {
    await release(call, terminal, 'A terminal had ended.')
  }
  return answer
}

/** What goes on in a terminal, from when its owner first speaks to it. Somebody who signs out may come back to the shell. */
const sessionOf = (call: ViewerCall, device: DeviceState, terminal: Terminal) =>
  beginSession(call, {
    kind: 'terminal',
    device,
    viewerConnectionId: call.viewer.connectionId,
    isConnected: true,
    endsWith: 'account',
    bytesToDevice: () => terminal.bytesToDevice,
    bytesFromDevice: () => terminal.bytesFromDevice,
    stop: (reason) => void endTerminal(call.app, terminal, reason),
  })

/** Opens a terminal on a device for a viewer. */
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

/** Types into a terminal; its output goes to this viewer from then on. */
export const sendTerminalInput = (call: ViewerCall, device: DeviceState, input: TerminalInputDto) =>
  onTerminal(call, device, input.terminalId, (agent) => {
    const terminal = call.app.terminals.find(device.id, input.terminalId)
    if (terminal?.isPty === false && input.isAttach) {
      // An agent without pseudo-terminals would run the empty input, or answer the question of a script with it.
      return Promise.resolve(success)
    }
    if (terminal) {
      terminal.bytesToDevice += Buffer.byteLength(input.input)
      tellSize(call, terminal, input)
    }
    return agent.ReceiveTerminalInput({ ...input, viewerConnectionId: call.viewer.connectionId })
  })

/** The size is that of the viewer that spoke last: the others show the terminal in it. */
function tellSize({ app, viewer }: ViewerCall, terminal: Terminal, { columns, rows }: TerminalInputDto): void {
  const { size } = terminal
  if (columns !== undefined && rows !== undefined && (columns !== size?.columns || rows !== size.rows)) {
    terminal.size = { columns, rows }
    void tellViewers(app, terminal, { columns, rows }, viewer.connectionId)
  }
}

/** The viewers of a terminal that may still use it (T10). */
function permittedViewers(app: App, { deviceId, viewers }: Terminal): string[] {
  const device = app.fleet.get(deviceId)
  const isAllowed = (principal: Principal) =>
    device !== undefined && deviceRight(app, principal, 'device.terminal.use')(device)
  return [...viewers].filter(([, principal]) => isAllowed(principal)).map(([connectionId]) => connectionId)
}

/** Sends the viewers of a terminal something that does not come from its agent. */
function tellViewers(app: App, terminal: Terminal, part: Partial<TerminalOutputDto>, but = ''): Promise<void> {
  const timestamp = new Date(app.clock.now()).toISOString()
  const output: TerminalOutputDto = { terminalId: terminal.id, output: '', outputKind: 0, timestamp, ...part }
  const told = permittedViewers(app, terminal).filter((connectionId) => connectionId !== but)
  return app.hubs.viewer.send(...told).ReceiveTerminalOutput(output)
}

/** The open terminals of the caller on a device, those used last first. */
export const terminalsOf = ({ app, principal }: Call, device: DeviceState): Terminal[] =>
  app.terminals
    .of(device.id)
    .filter(({ owner }) => owner === ownerOf(principal))
    .toSorted((a, b) => b.usedAt - a.usedAt)

/** Completes a line in a terminal: what a shell knows is told to whom it belongs only (T30). */
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

/** Ends a terminal; other viewers of it see that it has ended. */
export async function closeTerminal(call: ViewerCall, device: DeviceState, id: string | undefined): Promise<HubResult> {
  if (id === undefined) {
    return noTerminalId
  }
  const terminal = call.app.terminals.find(device.id, id)
  if (terminal && terminal.owner !== ownerOf(call.principal)) {
    return forbidden
  }
  const result = await tellAgent(call, device, (agent) => agent.CloseTerminalSession(id))
  if (terminal && result.isSuccess) {
    void tellViewers(call.app, terminal, { isExit: true }, call.viewer.connectionId)
    await release(call, terminal, 'A terminal was closed.')
  }
  return result
}

/**
 * Sends output of a device to all viewers of a terminal. The viewer id sent by the agent is untrusted: it must be a
 * connection, open or closed, under which the owner used this terminal (T15, T30). Viewers without the permission get
 * nothing (T10).
 */
export async function passTerminalOutput(
  call: OpenCall,
  device: DeviceState,
  viewerConnectionId: string,
  output: TerminalOutputDto,
): Promise<void> {
  const { app } = call
  const terminal = app.terminals.find(device.id, output.terminalId)
  if (terminal && (terminal.viewers.has(viewerConnectionId) || terminal.usedFrom.has(viewerConnectionId))) {
    // The agent waits for this before it sends more: a slow viewer slows the terminal, not the server.
    await app.hubs.viewer.send(...permittedViewers(app, terminal)).ReceiveTerminalOutput(output)
  }
  if (terminal) {
    terminal.bytesFromDevice += Buffer.byteLength(output.output)
  }
  if (terminal && output.isExit) {
    await release(call, terminal, 'A terminal has ended by itself.')
  }
}

/** Ends a terminal without being asked by its owner. */
async function endTerminal(app: App, terminal: Terminal, reason: string): Promise<void> {
  const call = systemCall(app)
  const { deviceId, id } = terminal
  const device = app.fleet.get(deviceId)
  try {
    if (device) {
      await tellAgent(call, device, (agent) => agent.CloseTerminalSession(id))
    }
    void tellViewers(app, terminal, { isExit: true })
    await release(call, terminal, reason)
  } catch (error) {
    app.log.warn({ err: error, deviceId }, 'A terminal could not be closed.')
  }
}

/** Forgets terminals that their agents have ended without a word. */
export async function forgetUnusedTerminals(call: OpenCall): Promise<void> {
  const { clock, terminals } = call.app
  const limit = clock.now() - forgottenAfterMs
  for (const terminal of [...terminals.all()].filter(({ usedAt }) => usedAt < limit)) {
    await release(call, terminal, 'A terminal was not used any more.')
  }
}

import { looksAfter } from '../../fleet/shared-connections.ts'
import { cutText } from '../../../shared/cut-text.ts'
import {
  deviceNotConnected,
  failure,
  failureOf,
  success,
  terminalNotOpen,
  type HubResult,
} from '../../../shared/dtos/hub-result.ts'
import type { PwshCompletionsRequestDto, PwshCompletionsResult } from '../../../shared/dtos/pwsh-completions.ts'
import type { OpenTerminalDto, TerminalInputDto, TerminalSessionResult } from '../../../shared/dtos/terminal.ts'
import { actorOf } from '../../ground/actor.ts'
import type { Call, OpenCall, ViewerCall, App } from '../../call/call.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import type { Terminal } from './terminal-mirror.ts'
import { accountOf, asUser, isByLink, ownerOf, type Principal } from '../../ground/principal.ts'
import { nameOfCaller } from '../../people/names.ts'
import { askAgent, sendToAgent, type Agent } from '../../devices/calls.ts'
import { forbiddenReason } from '../session-lifecycle.ts'
import { endTerminal, forbidden, note, openSession, refusalOfPerson, release } from './sessions.ts'
import { askForReplay, noteTypist, notifyViewers, replayFor } from './viewers.ts'
import { principalOf } from '../../credentials/cookie.ts'

/** Credential of a person who may come back with any other one. */
const ended = { credential: { kind: 'BearerToken', familyId: '' }, isLive: () => false, use: () => false } as const

const readers: Record<string, (app: App, id: string) => Principal | undefined> = {
  User({ accounts }, id) {
    const account = accounts.get(id)
    return account && { ...asUser(account), ...ended }
  },
  ServiceAccount: ({ apiKeys }, id) => apiKeys.principalOfHolder(id),
  PersonalAccessToken: ({ personalAccessTokens }, id) => personalAccessTokens.principalOf(id),
  LogonToken(app, id) {
    const session = app.sessions.withGrant(id)
    return session && principalOf(app, session)
  },
}

/** Principal of an owner key (`ownerOf`) with its current rights; undefined if it can no longer act. */
function terminalOwner(app: App, owner: string): Principal | undefined {
  const [kind = '', id = ''] = owner.split(' ')
  return readers[kind]?.(app, id)
}

/** Higher than the limit of our agent, which is 32. */
const maxPerDevice = 100

/** Limits of an account, of all of its links, and of one link: half of our agent's, and half of that (T44). */
const maxPerAccount = 16
const maxPerLink = 8

/** Length limit of the shell name reported by an agent, which is stored for the life of the terminal. */
const maxShellLength = 1024

/** Agents end a shell after ten minutes without use. */
const forgottenAfterMs = 15 * 60_000

const noTerminalId = failure('A terminal id is required.')

/** Reason why an account may open no more terminals on a device; undefined while it may. */
function crowdedReason({ app, principal }: Call, deviceId: string): string | undefined {
  const terminals = app.terminals.of(deviceId)
  if (terminals.length >= maxPerDevice) {
    return `This device has ${maxPerDevice} open terminals already. Close one first.`
  }
  const account = accountOf(principal)
  const ofAccount = terminals.filter(({ owner }) => {
    const held = terminalOwner(app, owner)
    // Guests take no places of the maker of their links.
    return held !== undefined && accountOf(held) === account && isByLink(held) === isByLink(principal)
  })
  const ofLink = isByLink(principal) ? ofAccount.filter(({ owner }) => owner === ownerOf(principal)) : []
  return ofAccount.length < maxPerAccount && ofLink.length < maxPerLink
    ? undefined
    : 'You have too many open terminals on this device. Close one first.'
}

/** Stores the owner of a terminal before the agent is asked. Returns undefined for a deleted device, or without room. */
async function claim(call: Call, deviceId: string, id: string): Promise<Terminal | undefined> {
  const { app, principal } = call
  await app.database.write(async (transaction) => {
    // Write transactions are serialized, so no other viewer claims the terminal concurrently.
    const isFree = app.terminals.find(deviceId, id) === undefined && crowdedReason(call, deviceId) === undefined
    if (isFree && app.fleet.get(deviceId)) {
      const row = { deviceId, id, owner: ownerOf(principal), startedAt: app.clock.now() }
      await app.models.Terminal.create(row, { transaction })
    }
  })
  return app.terminals.find(deviceId, id)
}

/**
 * Calls an agent about a terminal of the caller. A free id becomes the caller's if the agent opens the terminal (T30).
 * Other agents open a terminal on input, too. `opens`: the agent starts a shell, also under an id whose shell has ended
 * without notice.
 */
async function onTerminal(
  call: ViewerCall,
  device: DeviceState,
  id: string,
  { opens }: { opens: boolean },
  ask: (agent: Agent) => Promise<TerminalSessionResult>,
): Promise<TerminalSessionResult> {
  if (device.connectionId === '') {
    return failure(deviceNotConnected)
  }
  const { app, principal, viewer } = call
  const before = app.terminals.find(device.id, id)
  if (!before || (opens && before.owner === ownerOf(principal))) {
    // Before the claim: a claimed terminal takes input, on which other agents open a shell.
    const refusal = await refusalOfPerson(call, device)
    if (refusal) {
      return refusal
    }
  }
  const known = app.terminals.find(device.id, id)
  const terminal = known ?? (await claim(call, device.id, id))
  const crowded = terminal ? undefined : crowdedReason(call, device.id)
  if (crowded !== undefined) {
    return failure(crowded)
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

export const createTerminal = async (call: ViewerCall, device: DeviceState, id: string | undefined) =>
  id === undefined
    ? noTerminalId
    : onTerminal(call, device, id, { opens: true }, async (agent) => {
        const answer = await agent.CreateTerminalSession(id, call.viewer.connectionId)
        const terminal = call.app.terminals.find(device.id, id)
        if (terminal) {
          terminal.isPty = answer.isPty ?? false
        }
        return answer
      })

/** Sends input to a terminal, and its output to this viewer from then on. */
export const sendTerminalInput = (call: ViewerCall, device: DeviceState, input: TerminalInputDto) =>
  onTerminal(call, device, input.terminalId, { opens: false }, (agent) => {
    const terminal = call.app.terminals.find(device.id, input.terminalId)
    if (terminal?.isPty === false && input.isAttach) {
      // Without a pseudo-terminal, an agent would execute the empty input, or answer a script's prompt with it.
      return Promise.resolve(success)
    }
    return terminal ? typeAsOwner(call, device, terminal, input, agent) : Promise.resolve(failure(terminalNotOpen))
  })

/** Sends input of the owner. Of several viewers, the one who typed last answers queries of programs. */
async function typeAsOwner(
  call: ViewerCall,
  device: DeviceState,
  terminal: Terminal,
  { isReport, ...input }: TerminalInputDto,
  agent: Agent,
): Promise<TerminalSessionResult> {
  const { connectionId } = call.viewer
  if (isReport && terminal.lead !== undefined && terminal.lead !== connectionId) {
    return success
  }
  if (!isReport && (input.input !== '' || terminal.lead === undefined || input.isAttach)) {
    terminal.lead = connectionId
  }
  terminal.bytesToDevice += Buffer.byteLength(input.input)
  resize(call, terminal, input)
  if (input.input !== '' && !isReport) {
    noteTypist(terminal, undefined, nameOfCaller(call))
  }
  const send = () => agent.ReceiveTerminalInput({ ...input, viewerConnectionId: connectionId })
  return input.isAttach ? await askForReplay(call.app, terminal, device, connectionId, send) : await send()
}

/** Resizes a terminal to its last active viewer; other viewers show it in this size. */
function resize({ app, viewer }: ViewerCall, terminal: Terminal, { columns, rows }: TerminalInputDto): void {
  const { size } = terminal
  if (columns !== undefined && rows !== undefined && (columns !== size?.columns || rows !== size.rows)) {
    terminal.size = { columns, rows }
    terminal.recorder?.terminal?.resize(columns, rows)
    void notifyViewers(app, terminal, { columns, rows }, { but: viewer.connectionId })
  }
}

/** Open terminals of the caller on a device, most recently used first. */
export const terminalsOf = ({ app, principal }: Call, device: DeviceState): Terminal[] =>
  app.terminals
    .of(device.id)
    .filter(({ owner }) => owner === ownerOf(principal))
    .toSorted((a, b) => b.usedAt - a.usedAt)

/**
 * Completes a line in an open terminal. Completions list files and reach other machines, so they are for the owner of a
 * terminal alone, about which the person at the device was asked (T05, T30).
 */
export async function completeLine(
  call: ViewerCall,
  device: DeviceState,
  dto: PwshCompletionsRequestDto,
): Promise<PwshCompletionsResult> {
  const terminal = call.app.terminals.find(device.id, dto.terminalId)
  if (!terminal) {
    return failureOf(device.connectionId === '' ? deviceNotConnected : terminalNotOpen)
  }
  if (terminal.owner !== ownerOf(call.principal)) {
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
    void notifyViewers(call.app, terminal, { isExit: true }, { but: call.viewer.connectionId })
    await release(call, terminal, 'A terminal was closed.')
  }
  return result
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

async function resumeTerminal(call: OpenCall, device: DeviceState, terminal: Terminal, { shell }: OpenTerminalDto) {
  const { app } = call
  terminal.shell = shell.toWellFormed()
  terminal.isPty = true
  if (app.cluster) {
    // Another server may have used the terminal until now.
    terminal.usedAt = app.clock.now()
  }
  const principal = terminalOwner(app, terminal.owner)
  if (principal) {
    await openSession({ app, principal, actor: actorOf(principal, null) }, device, terminal)
  }
  if (terminal.session?.isAllowed() !== true) {
    await endTerminal(app, terminal, forbiddenReason)
    return
  }
  for (const { connectionId } of terminal.guests.values()) {
    void replayFor(call, device, terminal, connectionId)
  }
}

/** Removes terminals that their agents have ended without notice. */
export async function forgetUnusedTerminals(call: OpenCall): Promise<void> {
  const { clock, terminals, fleet } = call.app
  const limit = clock.now() - forgottenAfterMs
  const isOurs = (deviceId: string) => looksAfter(call.app, fleet.get(deviceId)?.connectionId ?? '')
  for (const terminal of [...terminals.all()].filter(({ usedAt, deviceId }) => usedAt < limit && isOurs(deviceId))) {
    await release(call, terminal, 'An unused terminal was removed.')
  }
}

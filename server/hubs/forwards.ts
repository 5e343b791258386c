import type { z } from 'zod'
import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { SendDtoToAgentRequestDto } from '../../shared/dtos/device-commands.ts'
import { isReservedDtoType } from '../../shared/dtos/run-command.ts'
import type { HubHandlers } from '../../shared/contract/hub.ts'
import type { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { ViewerCall } from '../call.ts'
import type { DeviceState } from '../memory/fleet/device-state.ts'
import type { ServerThings } from '../policies/index.ts'
import { askAgent, tellAgent, type Agent, type AgentSender } from '../services/agents/calls.ts'
import { noteEvidence, type Evidence } from '../services/devices/evidence.ts'
import type { HubCallOf } from './bind.ts'
import { at, silently, type OnDevice } from './forms.ts'

export type ViewerHandlers = HubHandlers<typeof viewerHub, HubCallOf<ViewerCall>, ServerThings>

/** Calls a method of the agent and answers with its result. */
const asks =
  <A extends unknown[]>(ask: (agent: Agent, ...args: A) => Promise<HubResult>) =>
  (call: OnDevice, ...args: A) =>
    askAgent(call, call.device, (agent) => ask(agent, ...args))

/** Sends the agent a message; success means that it was sent. */
const tells =
  <A extends unknown[]>(tell: (agent: AgentSender, ...args: A) => Promise<void>) =>
  (call: OnDevice, ...args: A): Promise<HubResult> =>
    tellAgent(call, call.device, (agent) => tell(agent, ...args))

const refresh = tells((agent) => agent.RefreshDeviceInfo())
/** The same, and keeps that it was asked for: the device may be away because of it. */
const notes =
  <A extends unknown[]>(
    tell: (call: OnDevice, ...args: A) => Promise<HubResult>,
    evidence: (at: number, device: DeviceState, ...args: A) => Evidence,
  ) =>
  async (call: OnDevice, ...args: A): Promise<HubResult> => {
    const { app, device } = call
    // Stored first: the device may be gone before the answer.
    if (device.connectionId !== '') {
      await noteEvidence(app, device.id, evidence(app.clock.now(), device, ...args))
    }
    return tell(call, ...args)
  }

const update = notes(
  tells((agent) => agent.ReceiveAgentUpdateTrigger()),
  (at, { agentVersion }) => ({ update: { at, fromVersion: agentVersion } }),
)
const uninstall = notes(
  tells((agent, reason: string) => agent.UninstallAgent(reason)),
  (at) => ({ uninstall: { at } }),
)
const testVnc = asks((agent, port: number) => agent.TestVncConnection(port))
const send = notes(
  tells((agent, change: 1 | 2) => agent.ReceivePowerStateChange(change)),
  (at, _device, change) => ({ power: { at, change: change === 1 ? 'restart' : 'shutdown' } }),
)
const changePower = async (call: OnDevice, change: 0 | 1 | 2) =>
  change === 0 ? failure('Invalid power state change type.') : send(call, change)

/** What the server itself asks of agents by such messages needs other permissions than sending them does. */
const sendDto = async (call: OnDevice, { wrapper }: z.output<typeof SendDtoToAgentRequestDto>) =>
  isReservedDtoType(wrapper.dtoType)
    ? failure('This type of message is reserved for the server.')
    : tellAgent(call, call.device, (agent) => agent.ReceiveDto(wrapper))

/** Methods of viewers that do no more than reach the agent: what it is called with, and what comes back. */
export const forwards = {
  RefreshDeviceInfo: silently(refresh),
  RefreshDeviceInfo2: (call) => refresh(call),
  SendAgentUpdateTrigger: silently(update),
  SendAgentUpdateTrigger2: (call) => update(call),
  SendDtoToAgent: sendDto,
  SendPowerStateChange: silently(changePower),
  SendPowerStateChange2: (call, { changeType }) => changePower(call, changeType),
  TestVncConnection: at(testVnc),
  TestVncConnection2: (call, { port }) => testVnc(call, port),
  UninstallAgent: silently(uninstall),
  UninstallAgent2: (call, { reason }) => uninstall(call, reason),
} satisfies Partial<ViewerHandlers>

import type { z } from 'zod'
import { failure, type HubResult } from '../../shared/dtos/hub-result.ts'
import type { SendDtoToAgentRequestDto } from '../../shared/dtos/device-commands.ts'
import { isReservedDtoType } from '../../shared/dtos/run-command.ts'
import type { HubHandlers } from '../../shared/contract/hub.ts'
import type { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import type { ViewerCall } from '../call/call.ts'
import type { ServerResources } from '../surface/authorize.ts'
import { askAgent, sendToAgent, type Agent, type AgentSender } from '../devices/calls.ts'
import { changePower, uninstallAgent, updateAgent } from '../devices/device-commands.ts'
import type { HubCallOf } from '../surface/bind.ts'
import { at, silently, type OnDevice } from '../surface/device-methods.ts'

export type ViewerHandlers = HubHandlers<typeof viewerHub, HubCallOf<ViewerCall>, ServerResources>

/** Handler that calls a method of the agent and returns its result. */
const asks =
  <A extends unknown[]>(ask: (agent: Agent, ...args: A) => Promise<HubResult>) =>
  (call: OnDevice, ...args: A) =>
    askAgent(call, call.device, (agent) => ask(agent, ...args))

/** Handler that sends the agent a message; success means that it was sent. */
const sends =
  <A extends unknown[]>(send: (agent: AgentSender, ...args: A) => Promise<void>) =>
  (call: OnDevice, ...args: A): Promise<HubResult> =>
    sendToAgent(call, call.device, (agent) => send(agent, ...args))

/** Asks for a report of the device. */
export const refresh = sends((agent) => agent.RefreshDeviceInfo())
const update = (call: OnDevice) => updateAgent(call, call.device)
const uninstall = (call: OnDevice, reason: string) => uninstallAgent(call, call.device, reason)
const testVnc = asks((agent, port: number) => agent.TestVncConnection(port))
const setPower = async (call: OnDevice, change: 0 | 1 | 2) =>
  change === 0 ? failure('Invalid power state change type.') : changePower(call, call.device, change)

/** Messages reserved for the server need other permissions than this method checks. */
export const sendDto = async (call: OnDevice, { wrapper }: z.output<typeof SendDtoToAgentRequestDto>) =>
  isReservedDtoType(wrapper.dtoType)
    ? failure('This type of message is reserved for the server.')
    : sendToAgent(call, call.device, (agent) => agent.ReceiveDto(wrapper))

/** Viewer methods that only forward to the agent. */
export const forwards = {
  SendAgentUpdateTrigger: silently(update),
  SendAgentUpdateTrigger2: (call) => update(call),
  SendPowerStateChange: silently(setPower),
  SendPowerStateChange2: (call, { changeType }) => setPower(call, changeType),
  TestVncConnection: at(testVnc),
  TestVncConnection2: (call, { port }) => testVnc(call, port),
  UninstallAgent: silently(uninstall),
  UninstallAgent2: (call, { reason }) => uninstall(call, reason),
} satisfies Partial<ViewerHandlers>

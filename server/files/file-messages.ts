import type { FileAnswerDto } from '../../shared/dtos/file-messages.ts'
import type { RouteCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { conflict } from '../ground/errors.ts'
import { accepted, agentMessage, callAgent, refusedWith, type Agent } from '../devices/calls.ts'

const tooOld = conflict('The agent of this device cannot do this. Update the agent, or use a terminal.')

type Answer = Awaited<ReturnType<Agent['ReceiveDto']>>

/** Returns our agent's answer to a message about files. Throws 400 for a refusal, and 409 for other agents. */
export function fileAnswerOf(answer: Answer): FileAnswerDto {
  if (answer === null) {
    throw tooOld
  }
  const { value } = accepted(answer, refusedWith(400))
  if (value === null || 'endedBy' in value) {
    throw tooOld
  }
  return value
}

/** Sends a message about files, and waits for the answer of our agent. */
export const askAboutFiles = async (
  call: RouteCall,
  device: DeviceState,
  dtoType: string,
  payload: object,
): Promise<FileAnswerDto> =>
  fileAnswerOf(await callAgent(call, device, (agent) => agent.ReceiveDto(agentMessage(dtoType, payload))))

import type { FileAnswerDto } from '../../shared/dtos/file-messages.ts'
import { conflict } from '../ground/errors.ts'
import { accepted, refusedWith, type Agent } from '../devices/calls.ts'

const tooOld = conflict('The agent of this device cannot do this. Update the agent, or use a terminal.')

export const fileMessage = (dtoType: string, payload: object) => ({
  dtoType,
  payload: Buffer.from(JSON.stringify(payload)).toString('base64'),
})

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

import { z } from 'zod'
import { commandCall, type App } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import { checkForUpdates } from './check.ts'
import { goBack, startInstall } from './install.ts'
import { updateOverview } from './update-overview.ts'

/** Commands of `farhand update`, for whoever may read the data folder. */
export const UpdateRequest = z.discriminatedUnion('command', [
  z.object({ command: z.literal('update-check') }),
  z.object({ command: z.literal('update-install'), version: z.string() }),
  z.object({ command: z.literal('update-back') }),
  z.object({ command: z.literal('update-state') }),
])
export type UpdateRequest = z.output<typeof UpdateRequest>

const Answer = z.object({
  version: z.string(),
  problem: z.string().nullable(),
  checkedAt: z.number().nullable(),
  offered: z.object({ version: z.string(), notes: z.string(), problem: z.string().nullable() }).nullable(),
  running: z.object({ step: z.string(), doneBytes: z.number(), totalBytes: z.number() }).nullable(),
  last: z
    .object({
      id: z.string(),
      fromVersion: z.string(),
      toVersion: z.string(),
      outcome: z.string().nullable(),
      reason: z.string().nullable(),
      isDataRestored: z.boolean(),
    })
    .nullable(),
})
export const UpdateAnswer = z.union([Answer, z.object({ refused: z.string() })])
export type UpdateAnswer = z.output<typeof UpdateAnswer>

async function stateOf(app: App): Promise<z.output<typeof Answer>> {
  const { version, problem, state, offered, running, runs } = await updateOverview(app)
  return Answer.parse({
    version,
    problem,
    checkedAt: state?.checkedAt ?? null,
    offered: offered && { version: offered.release.version, notes: offered.release.notes, problem: offered.problem },
    running,
    last: runs[0] ?? null,
  })
}

async function update(app: App, request: UpdateRequest): Promise<UpdateAnswer> {
  const call = commandCall(app)
  try {
    if (request.command === 'update-check') {
      await checkForUpdates(call)
    } else if (request.command === 'update-install') {
      await startInstall(call, request.version)
    } else if (request.command === 'update-back') {
      await goBack(call)
    }
    return await stateOf(app)
  } catch (error) {
    if (error instanceof AppError) {
      return { refused: error.message }
    }
    throw error
  }
}

/** Answers a command about updates at the computer of the server; undefined for another message. */
export async function updateAnswer(app: App, message: unknown): Promise<UpdateAnswer | undefined> {
  const request = UpdateRequest.safeParse(message).data
  return request && update(app, request)
}

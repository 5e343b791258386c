import { z } from 'zod'
import type { App } from '../call/call.ts'
import { callServer } from '../engines/process/control-channel.ts'
import { backupCommand } from '../backup/control-command.ts'
import { healthReport } from '../health/report.ts'
import { rescue, RescueAnswer, type RescueRequest } from '../identity/rescue.ts'
import { updateAnswer } from '../updates/control-command.ts'

/** Questions to a running server by programs of its owner: the window beside a service, and commands. */
const Question = z.discriminatedUnion('command', [
  z.object({ command: z.literal('health-report') }),
  z.object({ command: z.literal('addresses') }),
  z.object({ command: z.literal('is-own-certificate'), pem: z.string() }),
])

const Addresses = z.object({ urls: z.array(z.string()), version: z.string(), setupCode: z.string().nullable() })
export type ServedAddresses = z.output<typeof Addresses>

/** Answers a message of the control channel: a question, or a command about backups, updates or an account. */
export async function answerControl(app: App, message: unknown): Promise<unknown> {
  const question = Question.safeParse(message)
  if (!question.success) {
    return (await backupCommand(app, message)) ?? (await updateAnswer(app, message)) ?? rescue(app, message)
  }
  switch (question.data.command) {
    case 'health-report':
      return healthReport(app)
    case 'addresses':
      return {
        urls: app.listeners
          .list()
          .flatMap(({ url, problem, isForDesktopWindows }) => (problem === null && !isForDesktopWindows ? [url] : [])),
        version: app.version,
        setupCode: app.setup.code,
      } satisfies ServedAddresses
    case 'is-own-certificate':
      return (await app.tls()).isOver(question.data.pem)
  }
}

/** Asks the server that runs on a data folder for its report; undefined without a server there. */
export const askHealth = (directory: string): Promise<unknown> => callServer(directory, { command: 'health-report' })

/** Addresses of the server that runs on a data folder; undefined without a server there. */
export async function askAddresses(directory: string): Promise<ServedAddresses | undefined> {
  const answer = Addresses.safeParse(await callServer(directory, { command: 'addresses' }).catch(() => undefined))
  return answer.success ? answer.data : undefined
}

/** Carries out a command for an account in the server that runs on a data folder; undefined without a server there. */
export async function askRescue(directory: string, request: RescueRequest): Promise<RescueAnswer | undefined> {
  const answer = await callServer(directory, request)
  return answer === undefined ? undefined : RescueAnswer.parse(answer)
}

/** Whether a certificate has the key of the server that runs on a data folder. */
export const askServedCertificate = async (directory: string, pem: string): Promise<boolean> =>
  (await callServer(directory, { command: 'is-own-certificate', pem }).catch(() => false)) === true

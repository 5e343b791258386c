import type { z } from 'zod'
import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import { freeRule } from '../../shared/dtos/consent.ts'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { failure, failureOf, type HubResult } from '../../shared/dtos/hub-result.ts'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { TerminalGuest, terminalGuestType } from '../../shared/dtos/terminal-guest.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import { UserError } from '../base/errors.ts'
import type { Commands } from './commands.ts'
import type { Consent } from './consent.ts'
import type { FileHandlers } from './files.ts'
import type { FileMessages } from './files/messages.ts'
import type { Terminals } from './terminal.ts'
import type { Deed, VisitLog } from './visit-log.ts'
import type { Vnc } from './vnc.ts'

type GuardedCalls = Pick<
  HubClientHandlers<typeof agentHub>,
  'CreateTerminalSession' | 'CreateVncSession' | 'ReceiveDto'
>

interface GuardedDependencies {
  consent: Consent
  visits: VisitLog
  terminals: Terminals
  vnc: Vnc
  commands: Commands
  files: FileHandlers
  fileMessages: FileMessages
  /** Answers a message about power; undefined for any other message. */
  receivePower: (message: z.output<typeof DtoWrapper>) => Promise<(HubResult & { value: null }) | undefined>
}

/** Handlers about log files of the agent itself, which are no files of the person at the device. */
const unguarded: readonly string[] = ['GetLogFiles', 'StreamFileContents'] satisfies (keyof FileHandlers)[]

/** Deeds of visitors that the people at the device can read about; listings are noted once, with the visit. */
const deeds: { [Name in keyof FileHandlers]?: (...args: Parameters<FileHandlers[Name]>) => Deed | undefined } = {
  CreateDirectory: ({ directoryName }) => ({ kind: 'folder', detail: directoryName }),
  DeleteFile: ({ targetPath }) => ({ kind: 'deleted', detail: targetPath }),
  // A file that is sent in pieces begins at 0.
  DownloadFileFromViewer: ({ fileName, resume }) =>
    (resume?.offset ?? 0) === 0 ? { kind: 'written', detail: fileName } : undefined,
  UploadArchiveToViewer: ({ targetPaths }) => ({ kind: 'read', detail: targetPaths.join(', ') }),
  UploadFileToViewer: ({ filePath }) => ({ kind: 'read', detail: filePath }),
}

function guardedFiles({ files, consent, visits }: GuardedDependencies): FileHandlers {
  const guarded = Object.entries(files).map(([name, handle]) => {
    const work = handle as (...args: unknown[]) => unknown
    const deedOf = deeds[name as keyof FileHandlers] as ((...args: unknown[]) => Deed | undefined) | undefined
    const enterFirst = async (...args: unknown[]) => {
      const { refusal, visitorName } = await consent.enter('files')
      if (refusal !== undefined) {
        throw new UserError(refusal)
      }
      const deed = deedOf?.(...args)
      if (deed) {
        visits.note({ ...deed, visitor: visitorName })
      }
      return await work(...args)
    }
    return [name, unguarded.includes(name) ? work : enterFirst]
  })
  return Object.fromEntries(guarded) as FileHandlers
}

/** Handlers that begin their work once the person at the device has let the visitor in, where that is wanted. */
export const guardedHandlers = (deps: GuardedDependencies): FileHandlers & GuardedCalls => ({
  ...guardedFiles(deps),
  ...guardedCalls(deps),
})

const guardedCalls = ({
  consent,
  visits,
  terminals,
  vnc,
  commands,
  fileMessages,
  receivePower,
}: GuardedDependencies): GuardedCalls => ({
  async CreateTerminalSession(id, viewer) {
    // A terminal that runs was let in when it was opened.
    const { refusal, visitorName = '' } = terminals.isOpen(id) ? {} : await consent.enter('terminal', viewer)
    return refusal === undefined ? terminals.create(id, viewer, visitorName) : failure(refusal)
  },
  async CreateVncSession(request) {
    const { consent: rule = freeRule, viewerPrincipalId: visitorId = '', viewerName, organizationName } = request
    const { refusal } = await consent.admit({
      subject: 'control',
      rule,
      visitorId,
      visitorAccountId: request.viewerAccountId,
      visitorName: viewerName,
      organizationName,
    })
    if (refusal !== undefined) {
      return failure(refusal)
    }
    visits.note({ kind: 'vnc', visitor: viewerName, organizationName })
    return vnc.create(request)
  },
  async ReceiveDto(message) {
    const answer = await consent.receive(message)
    if (answer !== undefined) {
      return answer
    }
    const done = await receivePower(message)
    if (done) {
      return done
    }
    if (message.dtoType === terminalGuestType) {
      terminals.setGuest(TerminalGuest.parse(parseJson(Buffer.from(message.payload, 'base64').toString())))
      return null
    }
    const access = fileMessages.accessOf(message)
    if (access) {
      const { refusal, visitorName } = await consent.enter('files')
      if (refusal !== undefined) {
        return failureOf(refusal)
      }
      const deed = fileMessages.deedOf(message)
      if (deed) {
        visits.note({ ...deed, visitor: visitorName })
      }
    }
    return fileMessages.receive(message) ?? commands.receive(message)
  },
})

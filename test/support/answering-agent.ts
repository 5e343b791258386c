import type { z } from 'zod'
import { Components } from '../../server/engines/http/contract/schemas.ts'
import { namedExamples } from '../../server/surface/document-texts.ts'
import type { HubClientMethodDefinition } from '../../shared/contract/hub.ts'
import { FileAnswerDto, receiveFilesType } from '../../shared/dtos/file-messages.ts'
import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { CommandEndDto, runCommandType } from '../../shared/dtos/run-command.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { base64, sendStream } from './file-agent.ts'
import { recordingAgent, type RecordingAgent } from './recording-agent.ts'
import type { Member } from './server.ts'

const components = new Components(namedExamples)
const exampleOf = (schema: z.ZodType) => components.exampleOf(components.add(schema, 'output'), '') as object

const content = base64('content')

/** Device whose agent answers every call as an agent of ours that succeeds, with streams where they are wanted. */
export async function answeringAgent(owner: Member, { isShared = false } = {}): Promise<RecordingAgent> {
  const device = await recordingAgent(owner, { isShared })
  const { connection, answers } = device
  const streaming =
    (method: string, items: unknown[], result: object, ...more: unknown[]) =>
    ({ streamId, requestId = streamId }: { streamId: string; requestId?: string }) => {
      sendStream(connection, method, [requestId, ...more], items)
      return result
    }
  const fetched = (request: object) =>
    new Promise<object>((resolve, reject) =>
      connection
        .stream('GetFileStreamFromViewer', request)
        .subscribe({ next: () => {}, error: reject, complete: () => resolve(success) }),
    )
  const entries = [[exampleOf(agentHub.methods.SendSubdirectoriesStream.upload.element)]]
  for (const [method, { returns }] of Object.entries<HubClientMethodDefinition>(agentHub.client)) {
    const example = returns && exampleOf(returns)
    answers[method] = () => (example && 'isSuccess' in example ? { ...example, ...success } : example)
  }
  Object.assign(answers, {
    ValidateFilePath: () => ({ isValid: true, errorMessage: '' }),
    StreamDirectoryContents: streaming('SendDirectoryContentsStream', entries, success, true),
    StreamSubdirectories: streaming('SendSubdirectoriesStream', entries, success),
    StreamFileContents: streaming('SendFileContentStream', [content], success),
    RequestDesktopPreview: streaming('SendDesktopPreviewStream', [content], success),
    UploadFileToViewer: streaming('SendFileContentStream', [content], successOf({ fileSize: 7, fileDisplayName: 'a' })),
    UploadArchiveToViewer: streaming(
      'SendFileContentStream',
      [content],
      successOf({ fileSize: 7, fileDisplayName: 'a' }),
    ),
    DownloadFileFromViewer: fetched,
    async ReceiveDto({ dtoType, payload }: { dtoType: string; payload: string }) {
      const { streamId, files } = JSON.parse(Buffer.from(payload, 'base64').toString()) as {
        streamId?: string
        files?: unknown[]
      }
      if (dtoType === receiveFilesType) {
        await fetched({ streamId })
        return successOf({ problems: files!.map(() => null) })
      }
      if (streamId !== undefined) {
        sendStream(connection, 'SendFileContentStream', [streamId], [content])
      }
      return successOf(dtoType === runCommandType ? exampleOf(CommandEndDto) : exampleOf(FileAnswerDto))
    },
  })
  await device.SendConsentAnswers({ standing: [], alwaysAsk: [] })
  await device.SendPowerState({ variants: [], order: null, ended: null })
  return device
}

import type { z } from 'zod'
import type { DtoWrapper } from '../../../shared/dtos/device-commands.ts'
import {
  endFileOperationType,
  fileOperationStateType,
  NamedFileOperation,
  ReceiveFiles,
  receiveFilesType,
  RunFileOperation,
  runFileOperationType,
  type FileAnswerDto,
} from '../../../shared/dtos/file-messages.ts'
import { failureOf, successOf } from '../../../shared/dtos/hub-result.ts'
import { reasonOf } from './reasons.ts'
import { FileOperations } from './operations.ts'
import { SmallFiles } from './small-files.ts'

type Message = z.output<typeof DtoWrapper>
type Answer = ReturnType<typeof failureOf> | ReturnType<typeof successOf<FileAnswerDto>> | null

const readPayload = (payload: string): unknown => JSON.parse(Buffer.from(payload, 'base64').toString())

/** Messages of the server about files, which the hub's own methods do not cover. */
export class FileMessages {
  readonly #operations: FileOperations

  readonly #small: SmallFiles

  constructor(deps: ConstructorParameters<typeof SmallFiles>[0]) {
    this.#operations = new FileOperations(deps)
    this.#small = new SmallFiles(deps)
  }

  /** Returns undefined for a message about something else. */
  receive({ dtoType, payload }: Message): Promise<Answer> | undefined {
    const handle = this.#handlers[dtoType]
    return handle?.(readPayload(payload)).catch((error: unknown) => failureOf(reasonOf(error, '')))
  }

  endAll(): void {
    this.#operations.endAll()
  }

  readonly #handlers: Readonly<Record<string, (message: unknown) => Promise<Answer>>> = {
    [runFileOperationType]: async (message) =>
      successOf({ operation: await this.#operations.run(RunFileOperation.parse(message)) }),
    [fileOperationStateType]: async (message) => {
      const operation = this.#operations.stateOf(NamedFileOperation.parse(message).operationKey)
      return successOf({ ...(operation && { operation }) })
    },
    [receiveFilesType]: async (message) =>
      successOf({ received: { problems: await this.#small.receive(ReceiveFiles.parse(message)) } }),
    [endFileOperationType]: async (message) => {
      this.#operations.end(NamedFileOperation.parse(message).operationKey)
      return null
    },
  }
}

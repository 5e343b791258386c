import type { z } from 'zod'
import type { DtoWrapper } from '../../../shared/dtos/device-commands.ts'
import {
  endFileOperationType,
  FileFactsRequestDto,
  fileFactsType,
  FileModeDto,
  fileOperationStateType,
  NamedFileOperation,
  ReceiveFiles,
  receiveFilesType,
  RunFileOperation,
  runFileOperationType,
  setFileModeType,
  type FileAnswerDto,
} from '../../../shared/dtos/file-messages.ts'
import { failureOf, successOf } from '../../../shared/dtos/hub-result.ts'
import type { Log } from '../../base/log.ts'
import { factsOf, setMode } from './facts.ts'
import { reasonOf } from './reasons.ts'
import { FileOperations } from './operations.ts'
import { SmallFiles } from './small-files.ts'

type Message = z.output<typeof DtoWrapper>
type Answer = ReturnType<typeof failureOf> | ReturnType<typeof successOf<FileAnswerDto>> | null

const accesses = new Map<string, 'change' | 'read'>([
  [runFileOperationType, 'change'],
  [receiveFilesType, 'change'],
  [setFileModeType, 'change'],
  [fileFactsType, 'read'],
])

const readPayload = (payload: string): unknown => JSON.parse(Buffer.from(payload, 'base64').toString())

/** Messages of the server about files, which the hub's own methods do not cover. */
export class FileMessages {
  readonly #operations: FileOperations

  readonly #small: SmallFiles
  readonly #log: Log

  constructor(deps: ConstructorParameters<typeof SmallFiles>[0]) {
    this.#operations = new FileOperations(deps)
    this.#small = new SmallFiles(deps)
    this.#log = deps.log
  }

  /** Access of a message to files; undefined for a message that asks for the state of an operation or ends one. */
  accessOf({ dtoType }: Message): 'change' | 'read' | undefined {
    return accesses.get(String(dtoType))
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
    [fileFactsType]: async (message) => {
      const request = FileFactsRequestDto.parse(message)
      return successOf({ facts: await factsOf(request.path, request) })
    },
    [setFileModeType]: async (message) => {
      const { path, mode } = FileModeDto.parse(message)
      this.#log.info({ path, mode }, 'Changing the permissions of a file')
      await setMode(path, mode)
      return successOf({ facts: await factsOf(path, { isHashWanted: false }) })
    },
    [endFileOperationType]: async (message) => {
      this.#operations.end(NamedFileOperation.parse(message).operationKey)
      return null
    },
  }
}

import type { z } from 'zod'
import type { DtoWrapper } from '../../../shared/dtos/device-commands.ts'
import {
  endFileOperationType,
  FileFactsRequestDto,
  fileFactsType,
  FileModeDto,
  FollowFile,
  followFileType,
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
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Deed } from '../visit-log.ts'
import { FollowedFiles } from './followed-files.ts'
import { propertiesOf, setMode } from './properties.ts'
import { reasonOf, Refusal } from './reasons.ts'
import { FileOperations } from './operations.ts'
import { SmallFiles } from './small-files.ts'

type Message = z.output<typeof DtoWrapper>
type Answer = ReturnType<typeof failureOf> | ReturnType<typeof successOf<FileAnswerDto>> | null

/** Time for a hash: the server waits for 30 s. */
const hashMs = 25_000
const hashLimits = {
  // A disk that does not respond holds a thread.
  running: 2,
  waiting: 10,
  waitMs: 20_000,
  runMs: hashMs + 2_000,
  busy: 'The device is still reading other files for their SHA-256. Try again in a minute.',
  late: 'The file could not be read in time. Its disk may be disconnected.',
}
const tooLong = () => new Refusal(`The SHA-256 takes longer than ${hashMs / 1000} s: the file is too large.`)

const accesses = new Map<string, 'change' | 'read'>([
  [runFileOperationType, 'change'],
  [receiveFilesType, 'change'],
  [setFileModeType, 'change'],
  [fileFactsType, 'read'],
  [followFileType, 'read'],
])

const readPayload = (payload: string): unknown => JSON.parse(Buffer.from(payload, 'base64').toString())

/** Messages of the server about files, which the hub's own methods do not cover. */
export class FileMessages {
  readonly #operations: FileOperations

  readonly #small: SmallFiles
  readonly #follows: FollowedFiles
  readonly #hashes: ConcurrencyLimit
  readonly #clock: Clock
  readonly #log: Log

  constructor(deps: ConstructorParameters<typeof SmallFiles>[0] & ConstructorParameters<typeof FollowedFiles>[0]) {
    this.#operations = new FileOperations(deps)
    this.#small = new SmallFiles(deps)
    this.#follows = new FollowedFiles(deps)
    this.#hashes = new ConcurrencyLimit({ clock: deps.clock, ...hashLimits })
    this.#clock = deps.clock
    this.#log = deps.log
  }

  /** Access of a message to files; undefined for a message that asks for the state of an operation or ends one. */
  accessOf({ dtoType }: Message): 'change' | 'read' | undefined {
    return accesses.get(String(dtoType))
  }

  /** Deed that the people at the device can read about: content is sent, or files are changed. */
  deedOf(message: Message): Deed | undefined {
    if (message.dtoType === followFileType) {
      return { kind: 'read', detail: FollowFile.safeParse(readPayload(message.payload)).data?.path }
    }
    return this.accessOf(message) === 'change' ? { kind: 'changed' } : undefined
  }

  /** Returns undefined for a message about something else. */
  receive({ dtoType, payload }: Message): Promise<Answer> | undefined {
    // Viewers name the type: `constructor` is no handler (T21).
    const handle = Object.hasOwn(this.#handlers, dtoType) ? this.#handlers[dtoType] : undefined
    return handle?.(readPayload(payload)).catch((error: unknown) => failureOf(reasonOf(error, '')))
  }

  endAll(): void {
    this.#operations.endAll()
  }

  /** Describes a file with its hash. Reads few files at the same time, and none for longer than the server waits. */
  async #hashed(path: string) {
    const late = new AbortController()
    const cancel = this.#clock.after(hashMs, () => late.abort(tooLong()))
    try {
      return await this.#hashes.run(() => propertiesOf(path, { isHashWanted: true, signal: late.signal }))
    } finally {
      cancel()
    }
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
      const { path, isHashWanted } = FileFactsRequestDto.parse(message)
      return successOf({ facts: await (isHashWanted ? this.#hashed(path) : propertiesOf(path, { isHashWanted })) })
    },
    [followFileType]: async (message) => {
      const { streamId, ...wanted } = FollowFile.parse(message)
      await this.#follows.begin(streamId, wanted)
      return successOf({})
    },
    [setFileModeType]: async (message) => {
      const { path, mode } = FileModeDto.parse(message)
      this.#log.info({ path, mode }, 'Changing the permissions of a file')
      await setMode(path, mode)
      return successOf({ facts: await propertiesOf(path, { isHashWanted: false }) })
    },
    [endFileOperationType]: async (message) => {
      this.#operations.end(NamedFileOperation.parse(message).operationKey)
      return null
    },
  }
}

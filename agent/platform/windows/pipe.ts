import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Handle, type Out } from './library.ts'
import { systemSid } from './users.ts'
import { ioapiset } from './win32/ioapiset.ts'
import { namedpipeapi } from './win32/namedpipeapi.ts'
import { sddl } from './win32/sddl.ts'
import { winbase } from './win32/winbase.ts'

/** Function of Node's C runtime: turns a handle into a file descriptor that owns the handle. */
const runtime = nativeFunctions((koffi): { adopt: (handle: Handle) => number } => ({
  adopt: koffi.load(process.execPath).func('int uv_open_osfhandle(intptr handle)'),
}))

async function loadFunctions() {
  const [shared, pipes, operations, texts, base, node] = await Promise.all([
    common(),
    namedpipeapi(),
    ioapiset(),
    sddl(),
    winbase(),
    runtime(),
  ])
  return { ...shared, ...pipes, ...operations, ...texts, ...base, ...node }
}
type PipeFunctions = Awaited<ReturnType<typeof loadFunctions>>

const openMode = { duplex: 0x3, overlapped: 0x4000_0000, firstInstance: 0x8_0000 } as const
const refuseOtherDevices = 0x8
const noHandle = -1
const bufferBytes = 64 * 1024
/** Result of `ConnectNamedPipe` when the client was already connected. */
const alreadyConnected = 535
const lookEveryMs = 50

/** Name that no other program can guess. */
export const newPipeName = (): string => `\\\\.\\pipe\\farhand-desktop-${randomBytes(16).toString('hex')}`

/**
 * Named pipe that no other process can have created, with a single client that must run as SYSTEM or the given user.
 */
export class Pipe {
  readonly name: string
  readonly #handle: Handle
  readonly #functions: PipeFunctions
  readonly #overlapped: Address
  #isWaiting: boolean
  #isOpen = true

  private constructor(name: string, handle: Handle, functions: PipeFunctions) {
    this.name = name
    this.#handle = handle
    this.#functions = functions
    this.#overlapped = functions.allocateOverlapped()
    this.#isWaiting =
      !functions.connectNamedPipe(handle, this.#overlapped) && functions.lastError() !== alreadyConnected
  }

  /** Creates the pipe. Rejects with a UserError. */
  static async open(sid: string, name: string = newPipeName()): Promise<Pipe> {
    const functions = await loadFunctions()
    const descriptor: Out<Address> = [null]
    const rules = `D:P(A;;GA;;;${systemSid})(A;;GRGW;;;${sid})`
    if (!functions.convertStringSecurityDescriptorToSecurityDescriptor(rules, 1, descriptor, null)) {
      throw new UserError(`Windows does not know the user ${sid}: ${reasonOf(functions.lastError())}.`)
    }
    const mode = openMode.duplex | openMode.overlapped | openMode.firstInstance
    const security = { length: functions.securityAttributesSize, descriptor: descriptor[0], isInherited: false }
    const handle = functions.createNamedPipe(
      ...([name, mode, refuseOtherDevices, 1] as const),
      ...([bufferBytes, bufferBytes, 0, security] as const),
    )
    const code = functions.lastError()
    functions.localFree(descriptor[0])
    if (handle === noHandle) {
      throw new UserError(`Windows does not let the agent open a pipe: ${reasonOf(code)}.`)
    }
    return new Pipe(name, handle, functions)
  }

  /**
   * Resolves when the process with this id has connected; rejects other clients. Polls until `deadline`
   * (`performance.now()`). Rejects with a UserError after closing the pipe.
   */
  async accept(processId: number, deadline: number): Promise<Socket> {
    for (;;) {
      if (!this.#isOpen) {
        throw new UserError('Its process ended before it was of use.')
      }
      if (this.#hasClient()) {
        return this.#adopt(processId)
      }
      if (performance.now() > deadline) {
        this.close()
        throw new UserError('Its process did not come up in time.')
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }

  close(): void {
    if (this.#isOpen) {
      this.#isOpen = false
      this.#stopWaiting()
      this.#functions.closeHandle(this.#handle)
    }
  }

  #hasClient() {
    const ignored: Out<number> = [0]
    if (this.#isWaiting && this.#functions.getOverlappedResult(this.#handle, this.#overlapped, ignored, false)) {
      this.#isWaiting = false
    }
    return !this.#isWaiting
  }

  #adopt(processId: number): Socket {
    const client: Out<number> = [0]
    const isOurs = this.#functions.getNamedPipeClientProcessId(this.#handle, client) && client[0] === processId
    const fd = isOurs ? this.#functions.adopt(this.#handle) : noHandle
    if (fd === noHandle) {
      this.close()
      throw new UserError('Another program came to the pipe of its process.')
    }
    this.#isOpen = false
    this.#stopWaiting()
    return new Socket({ fd, readable: true, writable: true })
  }

  /** Cancels the pending connect: Windows writes to its memory while the call is pending. */
  #stopWaiting() {
    const { cancelIoEx, getOverlappedResult, koffi } = this.#functions
    if (this.#isWaiting) {
      cancelIoEx(this.#handle, this.#overlapped)
      getOverlappedResult(this.#handle, this.#overlapped, [0], true)
    }
    koffi.free(this.#overlapped)
  }
}

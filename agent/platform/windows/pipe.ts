import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { UserError } from '../../base/errors.ts'
import { nativeFunctions } from '../../base/native-functions.ts'
import { common, reasonOf, type Address, type Common, type Handle, type Out } from './library.ts'
import { systemSid } from './users.ts'

interface SecurityAttributes {
  length: number
  descriptor: Address
  isInherited: boolean
}

interface PipeFunctions {
  toDescriptor: (text: string, revision: 1, descriptor: Out<Address>, size: null) => boolean
  createPipe: (
    name: string,
    openMode: number,
    pipeMode: number,
    instances: number,
    outBytes: number,
    inBytes: number,
    timeout: number,
    security: SecurityAttributes,
  ) => Handle
  connect: (pipe: Handle, overlapped: Address) => boolean
  cancel: (pipe: Handle, overlapped: Address) => boolean
  outcome: (pipe: Handle, overlapped: Address, byteCount: Out<number>, isWaiting: boolean) => boolean
  clientOf: (pipe: Handle, processId: Out<number>) => boolean
  /** Function of Node's C runtime: turns a handle into a file descriptor that owns the handle. */
  adopt: (handle: Handle) => number
  attributesSize: number
}

const functions = nativeFunctions((koffi): PipeFunctions => {
  const attributes = koffi.struct('SECURITY_ATTRIBUTES', {
    length: 'uint32',
    descriptor: 'void *',
    isInherited: 'bool',
  })
  koffi.struct('OVERLAPPED', {
    status: 'uintptr',
    byteCount: 'uintptr',
    low: 'uint32',
    high: 'uint32',
    event: 'intptr',
  })
  const [kernel32, advapi32, node] = [
    koffi.load('kernel32.dll'),
    koffi.load('advapi32.dll'),
    koffi.load(process.execPath),
  ]
  return {
    toDescriptor: advapi32.func(
      'bool __stdcall ConvertStringSecurityDescriptorToSecurityDescriptorW(str16 text, uint32 revision, _Out_ void **descriptor, void *size)',
    ),
    createPipe: kernel32.func(
      'intptr __stdcall CreateNamedPipeW(str16 name, uint32 openMode, uint32 pipeMode, uint32 instances, uint32 outBytes, uint32 inBytes, uint32 timeout, SECURITY_ATTRIBUTES *security)',
    ),
    connect: kernel32.func('bool __stdcall ConnectNamedPipe(intptr pipe, void *overlapped)'),
    cancel: kernel32.func('bool __stdcall CancelIoEx(intptr pipe, void *overlapped)'),
    outcome: kernel32.func(
      'bool __stdcall GetOverlappedResult(intptr pipe, void *overlapped, _Out_ uint32 *bytes, bool wait)',
    ),
    clientOf: kernel32.func('bool __stdcall GetNamedPipeClientProcessId(intptr pipe, _Out_ uint32 *process)'),
    adopt: node.func('int uv_open_osfhandle(intptr handle)'),
    attributesSize: koffi.sizeof(attributes),
  }
})

const openMode = { duplex: 0x3, overlapped: 0x4000_0000, firstInstance: 0x8_0000 } as const
const refuseOtherDevices = 0x8
const noHandle = -1
const bufferBytes = 64 * 1024
/** Result of `ConnectNamedPipe` when the client was already connected. */
const alreadyConnected = 535
const lookEveryMs = 50

/**
 * Named pipe that no other process can have created, with a single client that must run as SYSTEM or the given user.
 */
export class Pipe {
  readonly name: string
  readonly #handle: Handle
  readonly #common: Common
  readonly #functions: PipeFunctions
  readonly #overlapped: Address
  #isWaiting: boolean
  #isOpen = true

  private constructor(name: string, handle: Handle, shared: Common, own: PipeFunctions) {
    this.name = name
    this.#handle = handle
    this.#common = shared
    this.#functions = own
    this.#overlapped = shared.koffi.alloc('OVERLAPPED', 1)
    shared.koffi.encode(this.#overlapped, 'OVERLAPPED', { status: 0, byteCount: 0, low: 0, high: 0, event: 0 })
    this.#isWaiting = !own.connect(handle, this.#overlapped) && shared.lastError() !== alreadyConnected
  }

  /** Creates the pipe. Rejects with a UserError. */
  static async open(sid: string): Promise<Pipe> {
    const [shared, own] = await Promise.all([common(), functions()])
    const descriptor: Out<Address> = [null]
    if (!own.toDescriptor(`D:P(A;;GA;;;${systemSid})(A;;GRGW;;;${sid})`, 1, descriptor, null)) {
      throw new UserError(`Windows does not know the user ${sid}: ${reasonOf(shared.lastError())}.`)
    }
    const name = `\\\\.\\pipe\\farhand-desktop-${randomBytes(16).toString('hex')}`
    const mode = openMode.duplex | openMode.overlapped | openMode.firstInstance
    const security = { length: own.attributesSize, descriptor: descriptor[0], isInherited: false }
    const handle = own.createPipe(name, mode, refuseOtherDevices, 1, bufferBytes, bufferBytes, 0, security)
    const code = shared.lastError()
    shared.localFree(descriptor[0])
    if (handle === noHandle) {
      throw new UserError(`Windows does not let the agent open a pipe: ${reasonOf(code)}.`)
    }
    return new Pipe(name, handle, shared, own)
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
      this.#common.closeHandle(this.#handle)
    }
  }

  #hasClient() {
    const ignored: Out<number> = [0]
    if (this.#isWaiting && this.#functions.outcome(this.#handle, this.#overlapped, ignored, false)) {
      this.#isWaiting = false
    }
    return !this.#isWaiting
  }

  #adopt(processId: number): Socket {
    const client: Out<number> = [0]
    const isOurs = this.#functions.clientOf(this.#handle, client) && client[0] === processId
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
    const { cancel, outcome } = this.#functions
    if (this.#isWaiting) {
      cancel(this.#handle, this.#overlapped)
      outcome(this.#handle, this.#overlapped, [0], true)
    }
    this.#common.koffi.free(this.#overlapped)
  }
}

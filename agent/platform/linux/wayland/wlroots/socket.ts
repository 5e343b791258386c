import { closeSync } from 'node:fs'
import { UserError } from '../../../../base/errors.ts'
import { nativeFunctions } from '../../../../base/native-functions.ts'

/** Numbers of the Linux headers, the same on x64 and arm64. */
const [unixFamily, streamType] = [1, 1]
const [nonBlocking, closeOnExec, signalled] = [0o4000, 0o2000000, 0o20000]
const [setFlags, setOwner] = [4, 8]
const [doNotWait, noSignal, closeReceivedOnExec] = [0x40, 0x4000, 0x4000_0000]
const [socketLevel, rights, peerCredentials] = [1, 1, 17]
/** Size of `struct ucred`, and offset of its user. */
const [credentialsBytes, userAt] = [12, 4]
const tryAgain = 11
const pathBytes = 108

const controlHeaderBytes = 16
/** Limit of libwayland for descriptors in one message. */
const maxDescriptors = 28
const receivedBytes = 64 * 1024
/** Number of reads without a pause: a compositor that always sends must not block the event loop. */
const maxReadsAtOnce = 16
/** Limit for unsent requests: a compositor that reads nothing for so long has stopped. */
const maxUnsentBytes = 16 * 1024 * 1024

interface Message {
  name: null
  nameLength: number
  parts: { bytes: Buffer; length: number }
  partCount: number
  control: Buffer | null
  controlLength: number
  flags: number
}

interface SocketFunctions {
  socket(family: number, type: number, protocol: number): number
  connect(fd: number, address: Buffer, length: number): number
  getsockopt(fd: number, level: number, name: number, value: Buffer, length: [number]): number
  sendmsg(fd: number, message: Message, flags: number): number
  recvmsg(fd: number, message: Message, flags: number): number
  pipe2(ends: number[], flags: number): number
  fcntl(fd: number, command: number, type: 'int', value: number): number
  errno(): number
}

const functions = nativeFunctions((koffi): SocketFunctions => {
  koffi.struct('iovec', { bytes: 'uint8_t *', length: 'size_t' })
  koffi.struct('msghdr', {
    name: 'void *',
    nameLength: 'uint32',
    parts: 'iovec *',
    partCount: 'size_t',
    control: 'uint8_t *',
    controlLength: 'size_t',
    flags: 'int',
  })
  const libc = koffi.load(null)
  return {
    socket: libc.func('int socket(int, int, int)'),
    connect: libc.func('int connect(int, uint8_t *, uint32)'),
    getsockopt: libc.func('int getsockopt(int, int, int, void *, _Inout_ uint32 *)'),
    sendmsg: libc.func('intptr sendmsg(int, msghdr *, int)'),
    recvmsg: libc.func('intptr recvmsg(int, msghdr *, int)'),
    pipe2: libc.func('int pipe2(_Out_ int *, int)'),
    fcntl: libc.func('int fcntl(int, int, ...)'),
    errno: () => koffi.errno(),
  }
})

const messageOf = (bytes: Buffer, control: Buffer | null): Message => ({
  name: null,
  nameLength: 0,
  parts: { bytes, length: bytes.length },
  partCount: 1,
  control,
  controlLength: control?.length ?? 0,
  flags: 0,
})

function controlOf(fd: number) {
  // Padded to whole words.
  const control = Buffer.alloc(controlHeaderBytes + 8)
  control.writeBigUInt64LE(BigInt(controlHeaderBytes + 4), 0)
  control.writeInt32LE(socketLevel, 8)
  control.writeInt32LE(rights, 12)
  control.writeInt32LE(fd, controlHeaderBytes)
  return control
}

function descriptorsIn(control: Buffer): number[] {
  const end = Number(control.readBigUInt64LE(0))
  const isRights = control.readInt32LE(8) === socketLevel && control.readInt32LE(12) === rights
  return isRights
    ? Array.from({ length: (end - controlHeaderBytes) / 4 }, (_, index) =>
        control.readInt32LE(controlHeaderBytes + index * 4),
      )
    : []
}

/** Whether a process of this user listens at the other end. */
function isOfOwnUser({ getsockopt }: SocketFunctions, fd: number): boolean {
  const credentials = Buffer.alloc(credentialsBytes)
  return (
    getsockopt(fd, socketLevel, peerCredentials, credentials, [credentialsBytes]) === 0 &&
    credentials.readUInt32LE(userAt) === process.getuid?.()
  )
}

const open = new Set<DescriptorSocket>()
let isListening = false

/** The listener stays for good: without one, SIGIO ends the process. */
function listenForSignals() {
  if (!isListening) {
    isListening = true
    process.on('SIGIO', () => open.forEach((socket) => socket.work()))
  }
}

/**
 * Unix socket that passes file descriptors, which sockets of Node cannot. The kernel reports bytes to read, and room to
 * write, by SIGIO, so that no thread waits.
 */
export class DescriptorSocket {
  onData: (bytes: Buffer, descriptors: number[]) => void = () => undefined
  onEnd: () => void = () => undefined
  readonly #fd: number
  readonly #functions: SocketFunctions
  readonly #received = Buffer.alloc(receivedBytes)
  readonly #control = Buffer.alloc(controlHeaderBytes + maxDescriptors * 4)
  #unsent: { bytes: Buffer; descriptor: number | undefined }[] = []
  #unsentBytes = 0
  #isClosed = false

  private constructor(fd: number, socketFunctions: SocketFunctions) {
    this.#fd = fd
    this.#functions = socketFunctions
    open.add(this)
  }

  static async connect(path: string): Promise<DescriptorSocket> {
    const socketFunctions = await functions()
    const address = Buffer.alloc(2 + pathBytes)
    address.writeUInt16LE(unixFamily)
    if (Buffer.byteLength(path) >= pathBytes) {
      throw new UserError(`The path ${path} is too long for a socket.`)
    }
    address.write(path, 2)
    const fd = socketFunctions.socket(unixFamily, streamType | nonBlocking | closeOnExec, 0)
    if (fd < 0 || socketFunctions.connect(fd, address, address.length) !== 0) {
      const number = socketFunctions.errno()
      if (fd >= 0) {
        closeSync(fd)
      }
      throw new UserError(`The socket ${path} takes no connection (error ${number}).`)
    }
    // Another user may have taken the place of the compositor (T32).
    if (!isOfOwnUser(socketFunctions, fd)) {
      closeSync(fd)
      throw new UserError(`The socket ${path} belongs to another user.`)
    }
    listenForSignals()
    const socket = new DescriptorSocket(fd, socketFunctions)
    socketFunctions.fcntl(fd, setOwner, 'int', process.pid)
    socketFunctions.fcntl(fd, setFlags, 'int', nonBlocking | signalled)
    return socket
  }

  /** Creates a pipe: the end to read and the end to write. */
  pipe(): [number, number] {
    const ends = [-1, -1]
    if (this.#functions.pipe2(ends, closeOnExec) !== 0) {
      throw new Error(`No pipe (error ${this.#functions.errno()}).`)
    }
    return [ends[0] ?? -1, ends[1] ?? -1]
  }

  /** Sends bytes in order; closes the descriptor once the kernel has passed it on. */
  send(bytes: Buffer, descriptor?: number): void {
    if (this.#isClosed) {
      if (descriptor !== undefined) {
        closeSync(descriptor)
      }
      return
    }
    this.#unsent.push({ bytes, descriptor })
    this.#unsentBytes += bytes.length
    if (this.#unsent.length === 1) {
      // Requests of one turn leave together.
      queueMicrotask(() => this.#flush())
    }
    if (this.#unsentBytes > maxUnsentBytes) {
      this.#end()
    }
  }

  /** Reads and sends what the kernel has ready. */
  work(): void {
    this.#flush()
    for (let reads = 0; !this.#isClosed; reads++) {
      if (reads === maxReadsAtOnce) {
        setImmediate(() => this.work())
        return
      }
      this.#control.fill(0, 0, controlHeaderBytes)
      const message = messageOf(this.#received, this.#control)
      const count = this.#functions.recvmsg(this.#fd, message, doNotWait | closeReceivedOnExec)
      if (count > 0) {
        this.onData(this.#received.subarray(0, count), descriptorsIn(this.#control))
      } else if (count === 0 || this.#functions.errno() !== tryAgain) {
        this.#end()
      } else {
        return
      }
    }
  }

  close(): void {
    if (!this.#isClosed) {
      this.#flush()
    }
    this.#release()
  }

  #flush() {
    while (!this.#isClosed && this.#unsent.length > 0) {
      const { bytes, descriptor } = this.#nextPart()
      const control = descriptor === undefined ? null : controlOf(descriptor)
      const count = this.#functions.sendmsg(this.#fd, messageOf(bytes, control), doNotWait | noSignal)
      if (count < 0) {
        if (this.#functions.errno() !== tryAgain) {
          this.#end()
        }
        return
      }
      this.#unsentBytes -= count
      if (descriptor !== undefined) {
        closeSync(descriptor)
      }
      if (count < bytes.length) {
        this.#unsent[0] = { bytes: bytes.subarray(count), descriptor: undefined }
      } else {
        this.#unsent.shift()
      }
    }
  }

  /** Joins the messages up to the next descriptor. */
  #nextPart() {
    const next = this.#unsent.findIndex(({ descriptor }, index) => index > 0 && descriptor !== undefined)
    const joined = this.#unsent.splice(0, next < 0 ? this.#unsent.length : next)
    const part = { bytes: Buffer.concat(joined.map(({ bytes }) => bytes)), descriptor: joined[0]?.descriptor }
    this.#unsent.unshift(part)
    return part
  }

  #end() {
    if (!this.#isClosed) {
      this.#release()
      this.onEnd()
    }
  }

  #release() {
    if (this.#isClosed) {
      return
    }
    this.#isClosed = true
    open.delete(this)
    for (const { descriptor } of this.#unsent) {
      if (descriptor !== undefined) {
        closeSync(descriptor)
      }
    }
    this.#unsent = []
    closeSync(this.#fd)
  }
}

/** Process in the session of a person, as SYSTEM: sees the secure desktop while that has the input, and types on it. */
import type { Socket } from 'node:net'
import type { Rectangle } from '../../desktop/desktop.ts'
import { inputBytes } from '../desktop/input-events.ts'
import { readDisplays } from '../desktop/displays.ts'
import { GdiBitmap } from '../desktop/gdi-bitmap.ts'
import type { Handle } from '../library.ts'
import { Pipe } from '../pipe.ts'
import { winuser } from '../win32/winuser.ts'
import { answerHead, RequestReader } from './protocol.ts'

/** `GENERIC_ALL` for a desktop object. */
const allRights = 0x1000_0000
const comingMs = 10_000
/** `DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2`, as in the process that asks. */
const realPixels = -4

/** `UOI_NAME` */
const objectName = 2

/**
 * Whether the helper may see and use a desktop: those of Windows itself alone. On the person's own, and on others that
 * any program can create, input of SYSTEM would reach the windows of programs with more rights than the person's.
 */
export const isSecure = (desktopName: string): boolean => /^(winlogon|screen-saver)$/i.test(desktopName)

type Api = Awaited<ReturnType<typeof winuser>>

/** Serves requests on the desktop that has the input at that moment. */
class InputDesktop {
  readonly #api: Api
  readonly #mayServe: (desktopName: string) => boolean
  #current: Handle = 0
  #bitmap: GdiBitmap | undefined

  constructor(api: Api, mayServe: (desktopName: string) => boolean) {
    this.#api = api
    this.#mayServe = mayServe
  }

  type(events: Buffer, count: number): void {
    if (this.#follow()) {
      this.#api.sendInput(count, events, inputBytes)
    }
  }

  /** Resolves with undefined if Windows does not show the area. */
  async capture({ x, y, width, height }: Rectangle): Promise<Buffer | undefined> {
    if (!this.#follow()) {
      return undefined
    }
    if (this.#bitmap?.picture.width !== width || this.#bitmap.picture.height !== height) {
      this.#bitmap?.close()
      this.#bitmap = await GdiBitmap.create(width, height)
    }
    return this.#bitmap.copyScreen(x, y) ? Buffer.from(this.#bitmap.picture.pixels) : undefined
  }

  /** Returns the displays as JSON; undefined while another desktop has the input. */
  displays(): Buffer | undefined {
    return this.#follow() ? Buffer.from(JSON.stringify(readDisplays(this.#api))) : undefined
  }

  /** Attaches this thread, which has no windows, to the desktop that has the input. */
  #follow(): boolean {
    const { openInputDesktop, setThreadDesktop, closeDesktop } = this.#api
    const desktop = openInputDesktop(0, false, allRights)
    if (desktop === 0) {
      return false
    }
    if (!this.#mayServe(this.#nameOf(desktop)) || !setThreadDesktop(desktop)) {
      closeDesktop(desktop)
      return false
    }
    closeDesktop(this.#current)
    this.#current = desktop
    return true
  }

  #nameOf(desktop: Handle) {
    const value = Buffer.alloc(256)
    const isRead = this.#api.getUserObjectInformation(desktop, objectName, value, value.length, [0])
    return isRead ? value.toString('utf16le').replace(/\0.*$/s, '') : 'Default'
  }
}

/** Serves one client until it closes the pipe, or sends anything that is not a request. */
async function serve(socket: Socket, desktop: InputDesktop) {
  const reader = new RequestReader()
  let work = Promise.resolve()
  let isAnswering = false
  const answer = async (asked: Promise<Buffer | undefined> | Buffer | undefined) => {
    const bytes = await asked
    socket.write(answerHead(bytes !== undefined, bytes?.length ?? 0))
    socket.write(bytes ?? Buffer.alloc(0), () => {
      isAnswering = false
    })
  }
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const request of reader.read(chunk)) {
        if (request !== 'displays' && 'events' in request) {
          work = work.then(() => desktop.type(request.events, request.count))
          continue
        }
        // A client that does not read its pictures would fill the memory of this process.
        if (isAnswering) {
          throw new RangeError('The last answer was not read.')
        }
        isAnswering = true
        work = work
          .then(() => answer(request === 'displays' ? desktop.displays() : desktop.capture(request.area)))
          .catch(() => void socket.destroy())
      }
    } catch {
      socket.destroy()
    }
  })
  // A client that is gone is an error or an end, as it happens.
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
}

/** Serves the process `processId` of the user `sid` through the pipe `name`. Resolves when that process is done. */
export async function serveSecureDesktop(
  name: string,
  sid: string,
  processId: number,
  mayServe = isSecure,
): Promise<void> {
  const api = await winuser()
  api.setProcessDpiAwarenessContext(realPixels)
  const pipe = await Pipe.open(sid, name)
  await serve(await pipe.accept(processId, performance.now() + comingMs), new InputDesktop(api, mayServe))
}

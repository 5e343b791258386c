import turbo from '@julusian/jpeg-turbo'
import sharp from 'sharp'
import { WebSocket } from 'ws'
import type { MessageSocket } from '../../shared/remote-control/channel.ts'
import type { DisplayDto, MovedAreaDto, ScreenFrame, ScreenRegionDto } from '../../shared/remote-control/messages.ts'
import { imageFormat } from '../../shared/remote-control/values.ts'
import { RemoteControlViewer, type ViewerDependencies } from '../../shared/remote-control/viewer.ts'

const bytesPerPixel = 4

const realClock = {
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

export type RemoteViewerDependencies = Omit<ViewerDependencies, 'socket' | 'clock'>

interface RemoteViewerOptions extends RemoteViewerDependencies {
  /** Address of the viewer's end. */
  uri: string
  /** Cookie, personal token or key. */
  headers?: Record<string, string>
}

const messageSocket = (socket: WebSocket): MessageSocket => ({
  send: (bytes, onSent) => socket.send(bytes, onSent),
  close: (isBroken) => (isBroken ? socket.terminate() : socket.close(1000, 'Connection closed.')),
})

/** Creates a viewer on a socket that leads to a device. */
export function viewerOn(socket: WebSocket, deps: RemoteViewerDependencies): RemoteControlViewer {
  const viewer = new RemoteControlViewer({ ...deps, socket: messageSocket(socket), clock: realClock })
  socket.on('message', (bytes: Buffer) => viewer.channel.receive(bytes))
  socket.on('close', () => viewer.channel.end('The connection was closed.'))
  return viewer
}

/** Connects a viewer; resolves when the device is connected, rejects with the server's answer otherwise. */
export function connectRemoteViewer({ uri, headers = {}, ...deps }: RemoteViewerOptions): Promise<RemoteControlViewer> {
  const socket = new WebSocket(uri, { headers, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 })
  const viewer = viewerOn(socket, deps)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => resolve(viewer))
  })
}

/** Decodes an image to blue, green, red and an unused byte. */
export const decodeRegion = async ({ encodedImage, imageFormat: format }: ScreenRegionDto) => {
  const image = Buffer.from(encodedImage.buffer, encodedImage.byteOffset, encodedImage.byteLength)
  if (format === imageFormat.Jpeg) {
    const { data, width, height } = await turbo.decompress(image, { format: turbo.FORMAT_BGRX })
    return { pixels: data, width, height }
  }
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const pixels = Buffer.alloc(info.width * info.height * bytesPerPixel)
  for (let pixel = 0; pixel < info.width * info.height; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      pixels[pixel * bytesPerPixel + channel] = data[pixel * 3 + 2 - channel] ?? 0
    }
  }
  return { pixels, width: info.width, height: info.height }
}

/** Picture as a person would see it: frames drawn in order, in blue, green, red and an unused byte. */
export class Canvas {
  width = 0
  height = 0
  pixels = Buffer.alloc(0)
  #drawn: Promise<void> = Promise.resolve()

  resize({ capturePixelSize: { width, height } }: DisplayDto): void {
    this.width = width
    this.height = height
    this.pixels = Buffer.alloc(width * height * bytesPerPixel)
  }

  /** Resolves when this frame and all earlier frames are drawn. */
  draw({ regions, moves = [] }: ScreenFrame): Promise<void> {
    const images = regions.map((region) => decodeRegion(region))
    const before = this.#drawn
    this.#drawn = Promise.all(images).then(async (decoded) => {
      await before
      moves.forEach((moved) => this.#move(moved))
      decoded.forEach((image, index) => this.#put(image, regions[index] as ScreenRegionDto))
    })
    return this.#drawn
  }

  /** Red, green and blue of a pixel. */
  at(x: number, y: number): [number, number, number] {
    const [blue = 0, green = 0, red = 0] = this.pixels.subarray((y * this.width + x) * bytesPerPixel)
    return [red, green, blue]
  }

  #move({ x, y, width, height, fromX, fromY }: MovedAreaDto) {
    const before = Buffer.from(this.pixels)
    for (let row = 0; row < height; row++) {
      const from = ((fromY + row) * this.width + fromX) * bytesPerPixel
      before.copy(this.pixels, ((y + row) * this.width + x) * bytesPerPixel, from, from + width * bytesPerPixel)
    }
  }

  #put({ pixels, width, height }: { pixels: Buffer; width: number; height: number }, { x, y }: ScreenRegionDto) {
    // None for a region of a larger picture, sent before the display got smaller.
    const columns = Math.max(0, Math.min(width, this.width - x))
    for (let row = 0; row < Math.min(height, this.height - y); row++) {
      const from = row * width * bytesPerPixel
      pixels.copy(this.pixels, ((y + row) * this.width + x) * bytesPerPixel, from, from + columns * bytesPerPixel)
    }
  }
}

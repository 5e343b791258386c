// The package of types knows the paths and the members of an earlier release.
/// <reference types="novnc__novnc" />

declare module '@novnc/novnc' {
  // A class to be extended, though only its type is there.
  // oxlint-disable-next-line typescript/consistent-type-imports
  import Earlier, { type NoVncCredentials } from '@novnc/novnc/lib/rfb'

  /** What noVNC asks of a socket. */
  export interface RawChannel {
    binaryType: string
    readonly protocol: string
    readonly readyState: number
    onopen: ((event: Event) => void) | null
    onmessage: ((event: MessageEvent) => void) | null
    onclose: ((event: CloseEvent) => void) | null
    onerror: ((event: Event) => void) | null
    send(data: Uint8Array<ArrayBuffer>): void
    close(): void
  }

  /** A picture that waits in the queue of the display. */
  export interface ImageAction {
    img: HTMLImageElement
    width: number
    height: number
  }

  type Area = [x: number, y: number, width: number, height: number]

  /** Draws: a part that noVNC keeps to itself. */
  interface Display {
    readonly width: number
    readonly height: number
    _renderQ: readonly ImageAction[]
    _scanRenderQ(): void
    fillRect(...args: [...Area, ...others: unknown[]]): void
    copyImage(...args: [fromX: number, fromY: number, ...Area, ...others: unknown[]]): void
    blitImage(...args: [...Area, ...others: unknown[]]): void
    imageRect(...args: [...Area, type: string, bytes: Uint8Array<ArrayBuffer>]): void
  }

  /** Buffers the bytes of the channel. */
  interface ReceiveQueue {
    rQlen(): number
    rQwait(what: string, bytes: number): boolean
    rQpeekBytes(length: number, isCopy: boolean): Uint8Array<ArrayBuffer>
    rQskipBytes(length: number): void
  }

  export default class RFB extends Earlier {
    constructor(
      target: Element,
      channel: RawChannel,
      options?: { shared?: boolean; credentials?: Partial<NoVncCredentials> },
    )
    sendCredentials(credentials: Partial<NoVncCredentials>): void
    /** Accepts the key that `serververification` told. */
    approveServer(): void

    // Parts that noVNC keeps to itself, for `bounded-client.ts`; `T18-vnc.spec.ts` and `T35-vnc.spec.ts` see whether they are still there.
    static readonly messages: { clientEncodings(socket: unknown, encodings: readonly number[]): void }
    readonly _display: Display
    readonly _sock: ReceiveQueue
    readonly _decoders: Record<number, { _segments?: readonly Uint8Array[] }>
    /** Whether reading from the queue is suspended. */
    _flushing: boolean
    /** Size of the screen. */
    readonly _fbWidth: number
    readonly _fbHeight: number
    /** The update that is being read: rectangles that are left, and the size of the one that comes next. */
    readonly _FBU: { rects: number; width: number; height: number; encoding: number | null }
    _resize(width: number, height: number): void
    _framebufferUpdate(): boolean
    _handleMessage(): void
    _handleRect(): boolean
    _handleDataRect(): boolean
    _handleServerCutText(): boolean
    _sendEncodings(): void
    _updateCursor(pixels: Uint8Array, hotspotX: number, hotspotY: number, width: number, height: number): void
  }
}

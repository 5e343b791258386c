// The package of types describes an earlier release.
/// <reference types="novnc__novnc" />

declare module '@novnc/novnc' {
  // A class to extend, of which only the type exists.
  // oxlint-disable-next-line typescript/consistent-type-imports
  import Earlier, { type NoVncCredentials } from '@novnc/novnc/lib/rfb'

  /** Socket interface that noVNC expects. */
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

  /** Picture in the display's render queue. */
  export interface ImageAction {
    img: HTMLImageElement
    width: number
    height: number
  }

  type Area = [x: number, y: number, width: number, height: number]

  /** Private drawing interface of noVNC. */
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

  /** Private receive buffer of noVNC. */
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
    /** Accepts the key of the `serververification` event. */
    approveServer(): void

    // Private members of noVNC for `bounded-client.ts`; `T18-vnc.spec.ts` and `T35-vnc.spec.ts` fail if an update
    // removes them.
    static readonly messages: { clientEncodings(socket: unknown, encodings: readonly number[]): void }
    readonly _display: Display
    readonly _sock: ReceiveQueue
    readonly _decoders: Record<number, { _segments?: readonly Uint8Array[] }>
    /** Whether reading from the queue is suspended. */
    _flushing: boolean
    /** Size of the screen. */
    readonly _fbWidth: number
    readonly _fbHeight: number
    /** Current update: remaining rectangles, and the size of the next one. */
    readonly _FBU: { rects: number; width: number; height: number; encoding: number | null }
    _resize(width: number, height: number): void
    _normalMsg(): boolean
    _framebufferUpdate(): boolean
    _handleMessage(): void
    _handleRect(): boolean
    _handleDataRect(): boolean
    _handleServerCutText(): boolean
    _sendEncodings(): void
    _updateCursor(pixels: Uint8Array, hotspotX: number, hotspotY: number, width: number, height: number): void
  }
}

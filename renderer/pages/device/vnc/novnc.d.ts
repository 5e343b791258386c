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

  /** What draws: a part that noVNC keeps to itself. */
  interface Display {
    readonly width: number
    readonly height: number
    fillRect(x: number, y: number, width: number, height: number, ...others: unknown[]): void
    copyImage(
      fromX: number,
      fromY: number,
      x: number,
      y: number,
      width: number,
      height: number,
      ...others: unknown[]
    ): void
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

    // Parts that noVNC keeps to itself, for `bounded-client.ts`; `T18-vnc.spec.ts` sees whether they are still there.
    readonly _display: Display
    /** Size of the screen. */
    readonly _fbWidth: number
    readonly _fbHeight: number
    /** The update that is being read: rectangles that are left, and the size of the one that comes next. */
    readonly _FBU: { rects: number; width: number; height: number }
    _resize(width: number, height: number): void
    _framebufferUpdate(): boolean
    _handleDataRect(): boolean
  }
}
